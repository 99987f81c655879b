import { Controller, Get, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { optionNames, PRESET_NAME_CHARACTERS } from '../../core/delivery/delivery-options.js';
import { previewOptions } from '../../core/delivery/open-named-picture.js';
import {
  deletePreset,
  MAX_PRESETS,
  type Preset,
  presetValues,
  readPreset,
  savePreset,
} from '../../core/delivery/preset.js';
import { RequireRole } from '../../http/access.js';
import type { Reply } from '../../http/responses/reply.js';
import { privateHeaders, sendDownload } from '../../http/responses/send-download.js';
import { address, oneOfQuery } from '../address.js';
import { Button, Field, type Problems, problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { PageController, redirectTo } from '../page.js';
import { CurrentPageContext, callerOfPage, customerOf, type PageContext } from '../page-context.js';
import { Card, Confirm, Empty, Heading, LinkButton, Moment, Table } from '../parts.js';
import { editsOf, FormCard } from '../resource-form.js';
import { AREA, LIST } from './delivery.view.js';

/** Presets, and what one would show of the newest photo. */
@Controller('settings/delivery')
@RequireRole('admin')
export class PresetsController extends PageController {
  @Get('presets/new')
  newForm(@CurrentPageContext() context: PageContext): Reply {
    return this.form(context, { subject: null, name: '', options: '', preview: null, problems: null });
  }

  @Post('presets/new')
  create(@CurrentPageContext() context: PageContext): Promise<Reply> {
    return this.submitted(context, { subject: null, name: context.form.text('name', FieldLength.line).trim() });
  }

  @Get('presets/:preset/edit')
  async editForm(@CurrentPageContext() context: PageContext, @Param('preset') name: string): Promise<Reply> {
    const subject = await readPreset(this.ports, customerOf(context), name);
    const { options } = subject;
    return this.form(context, { subject, name, options, preview: options, problems: null });
  }

  @Post('presets/:preset/edit')
  async edit(@CurrentPageContext() context: PageContext, @Param('preset') name: string): Promise<Reply> {
    return this.submitted(context, { subject: await readPreset(this.ports, customerOf(context), name), name });
  }

  @Get('presets/:preset/delete')
  async confirmDelete(@CurrentPageContext() context: PageContext, @Param('preset') name: string): Promise<Reply> {
    await readPreset(this.ports, customerOf(context), name);
    const [title, action] = [`Delete preset “${name}”?`, presetPath(name, 'delete')];
    const page = (
      <Confirm title={title} action={action} button="Delete preset" back={LIST}>
        <p>
          The service refuses all URLs that name it immediately; caches may show their copies until these expire. A new
          preset of the same name makes the URLs work again.
        </p>
      </Confirm>
    );
    return this.render(context, { ...AREA, title: 'Delete a preset' }, page);
  }

  @Post('presets/:preset/delete')
  async delete(@CurrentPageContext() context: PageContext, @Param('preset') name: string): Promise<Reply> {
    await deletePreset(this.ports, callerOfPage(context), name);
    return redirectTo(context, LIST, { kind: 'done', text: `The preset “${name}” was deleted.` });
  }

  @Get('preview')
  async preview(@CurrentPageContext() context: PageContext, @Res() response: Response): Promise<void> {
    const { name, ...download } = await previewOptions(
      this.ports,
      callerOfPage(context),
      oneOfQuery(context.request.query['options']),
    );
    await sendDownload(context.request, response, {
      ...download,
      entityTag: `"${name}"`,
      lastModified: download.photo.updatedAt,
      filename: 'preview',
      disposition: 'inline',
      headers: privateHeaders,
    });
  }

  /** Saves the preset, or only shows the form again with a preview. */
  private async submitted(
    context: PageContext,
    { subject, name }: Pick<PresetFormProps, 'subject' | 'name'>,
  ): Promise<Reply> {
    const sent = { options: context.form.text('options', FieldLength.line).replace(/\s/g, '') };
    const { changed, requireUnchanged } = editsOf(context.form, sent);
    const options = subject === null ? sent.options : (changed.options ?? subject.options);
    const fields = { subject, name, options };
    try {
      if (subject !== null) requireUnchanged({ options: subject.options });
      if (context.form.text('do', FieldLength.word) === 'preview') {
        // Without a name yet, too.
        const { options: preview } = presetValues({ name: name || 'preview', options });
        return this.form(context, { ...fields, preview, problems: null });
      }
      if (subject === null || changed.options !== undefined) {
        const values = { name, options, isNew: subject === null };
        await savePreset(this.ports, callerOfPage(context), values, (current) =>
          requireUnchanged({ options: current.options }),
        );
      }
      return redirectTo(context, LIST, { kind: 'done', text: `The preset “${name}” was saved.` });
    } catch (error) {
      return this.form(context, { ...fields, preview: null, problems: problemsOf(error) });
    }
  }

  private form(context: PageContext, { subject, name, options, preview, problems }: PresetFormProps): Reply {
    const isNew = subject === null;
    // Each option has errors of its own, and all are typed into one field.
    const ofOptions = optionNames.reduce<Problems | undefined>(
      (renamed, option) => renamed?.renamed(option, 'options'),
      problems ?? undefined,
    );
    const page = (
      <>
        <Heading title={isNew ? 'Create preset' : `Preset “${name}”`} />
        <FormCard
          action={isNew ? `${LIST}/presets/new` : presetPath(name, 'edit')}
          problems={problems}
          shown={subject && { options: subject.options }}
          button={isNew ? 'Create preset' : 'Save'}
          cancel={LIST}
          others={
            <Button kind="plain" name="do" value="preview">
              Preview
            </Button>
          }
        >
          {isNew && (
            <Field
              label="Name"
              name="name"
              errors={problems}
              hint={`What URLs call it: ${PRESET_NAME_CHARACTERS}. It cannot be changed.`}
              input={{ value: name, required: true, autocomplete: 'off', placeholder: 'card' }}
            />
          )}
          <Field
            label="Options"
            name="options"
            errors={ofOptions}
            hint="As in a URL, separated by commas, for example w=300,h=200,fit=cover."
            input={{ value: options, required: true, autocomplete: 'off', spellcheck: false }}
          />
        </FormCard>
        {preview !== null && (
          <Card title="Preview" lead="Your newest photo with these options.">
            <img
              class="preset-preview"
              src={address(`${LIST}/preview`, { options: preview })}
              alt="Preview; there is none while the library is empty"
            />
          </Card>
        )}
      </>
    );
    return this.render(context, { ...AREA, title: isNew ? 'Create preset' : 'Edit preset', problems }, page);
  }
}

export function Presets({ presets }: { presets: readonly Preset[] }) {
  return (
    <section class="log">
      <h2>Presets</h2>
      <p class="lead">
        Named sets of options. Changing a preset changes the images at all URLs that name it. At most {MAX_PRESETS}.
      </p>
      {presets.length === 0 ? (
        <Empty icon="images" title="No presets yet">
          <p>For example “card”, for images of 300 by 200 pixels.</p>
        </Empty>
      ) : (
        <Table
          caption="Presets"
          columns={['Preset', 'Options', 'Changed', '']}
          rows={presets.map(({ name, options, updatedAt }) => ({
            key: name,
            cells: [
              <a key="name" class="strong" href={presetPath(name, 'edit')}>
                {name}
              </a>,
              <code key="options">{options}</code>,
              <Moment key="at" at={updatedAt} />,
              <span key="do" class="actions">
                <LinkButton href={presetPath(name, 'delete')} label="Delete…" isSmall name={`Delete ${name}`} />
              </span>,
            ],
          }))}
        />
      )}
    </section>
  );
}

function presetPath(name: string, act: 'edit' | 'delete'): string {
  return `${LIST}/presets/${encodeURIComponent(name)}/${act}`;
}

interface PresetFormProps {
  /** Null: a new one. */
  readonly subject: Pick<Preset, 'options'> | null;
  readonly name: string;
  readonly options: string;
  /** Options to show the newest photo with; null: it is not shown. */
  readonly preview: string | null;
  readonly problems: Problems | null;
}
