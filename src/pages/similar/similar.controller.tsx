import { Controller, Get, Post } from '@nestjs/common';
import type { Caller } from '../../core/access/caller.js';
import { editPhotos } from '../../core/photos/edit-photo.js';
import { renditionUrls } from '../../core/photos/renditions/signed-url.js';
import {
  bestOf,
  MAX_GROUP,
  readSimilarGroups,
  rejoinPhotos,
  separatePhotos,
  trashOthers,
} from '../../core/photos/similar/groups.js';
import type { PhotoPair } from '../../core/photos/similar/similar-photo.js';
import { type Id, parseId } from '../../core/shared/ids.js';
import { RequireRole } from '../../http/access.js';
import type { Reply } from '../../http/responses/reply.js';
import { address, oneOfQuery } from '../address.js';
import type { Flash } from '../browser-session.js';
import { Button, Form } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { selectedIds } from '../library/selection.controller.js';
import { formatName } from '../library-query/library-query.js';
import { PageController, redirectAfter } from '../page.js';
import { CurrentPageContext, callerOfPage, InNavigation, type PageContext, usePageContext } from '../page-context.js';
import { Badge, Empty, Heading, LinkButton } from '../parts.js';
import { type PhotoWithUrls, Picture, photoName } from '../picture.js';

/** @param path Of another action on this page. */
type Work = (caller: Caller, path: (action: string) => string) => Promise<Omit<Flash, 'kind'>>;

/** Photos that look alike, group by group: which to keep, or that they are different. Each form returns to its page. */
@Controller('settings/similar')
@RequireRole('editor')
export class SimilarController extends PageController {
  @Get()
  @InNavigation('Similar photos', 25)
  async list(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const caller = callerOfPage(context);
    const after = parseId(oneOfQuery(context.request.query['after']));
    const { groups, next } = await readSimilarGroups(this.ports, caller, after);
    const shown = groups.map((group) =>
      group.map((photo) => ({ photo, urls: renditionUrls(this.ports, caller, photo) })),
    );
    return this.render(
      context,
      { title: 'Similar photos', section: 'similar', styles: ['similar.css'] },
      <>
        <Heading
          title="Similar photos"
          lead="Photos that look alike: mostly copies in other sizes, formats or qualities. Choose which to keep."
        />
        {shown.length === 0 &&
          (next !== null ? (
            <Empty title="Nothing here yet">
              <p>None of the photos that were compared for this page look alike. Continue with the next ones.</p>
            </Empty>
          ) : (
            <Empty icon="images" title={after === null ? 'No similar photos' : 'No more similar photos'}>
              <p>Photos are compared after they are imported. Those that look alike appear here.</p>
            </Empty>
          ))}
        {shown.map((group) => (
          <SimilarGroup key={group[0]?.photo.id} group={group} after={after} />
        ))}
        {(after !== null || next !== null) && (
          <nav class="similar-pages" aria-label="Pages of similar photos">
            {after !== null && <LinkButton href={similarPath(null)} label="First page" isSmall />}
            {next === null ? (
              <span class="hint">This is the last page.</span>
            ) : (
              <LinkButton
                href={similarPath(next)}
                label={shown.length === 0 ? 'Continue the search' : 'Next page'}
                isSmall
                rel="next"
              />
            )}
          </nav>
        )}
      </>,
    );
  }

  @Post('keep')
  keep(@CurrentPageContext() context: PageContext): Promise<Reply> {
    return this.change(context, async (caller, path) => {
      const [ids, keep] = [sentIds(context, 'ids'), sentIds(context, 'keep')];
      const moved = await trashOthers(this.ports, caller, { ids, keep });
      const text = `${context.formats.pluralize(moved.length, 'photo')} moved to the trash.`;
      if (moved.length === 0) return { text };
      return { text, undo: { action: path('/restore'), field: 'ids', values: moved.map(String) } };
    });
  }

  @Post('restore')
  restore(@CurrentPageContext() context: PageContext): Promise<Reply> {
    return this.change(context, async (caller) => {
      const results = await editPhotos(this.ports, caller, sentIds(context, 'ids'), { trashed: false });
      const restored = results.filter(({ outcome }) => outcome === 'updated').length;
      return { text: `${context.formats.pluralize(restored, 'photo')} restored.` };
    });
  }

  @Post('separate')
  separate(@CurrentPageContext() context: PageContext): Promise<Reply> {
    return this.change(context, async (caller, path) => {
      const pairs = await separatePhotos(this.ports, caller, sentIds(context, 'ids'));
      const text = 'These photos are no longer shown as similar.';
      if (pairs.length === 0) return { text };
      const values = pairs.map(({ photoId, otherId }) => `${photoId}-${otherId}`);
      return { text, undo: { action: path('/rejoin'), field: 'pairs', values } };
    });
  }

  @Post('rejoin')
  rejoin(@CurrentPageContext() context: PageContext): Promise<Reply> {
    return this.change(context, async (caller) => {
      await rejoinPhotos(this.ports, caller, context.form.all('pairs', FieldLength.word).flatMap(parsePair));
      return { text: 'These photos are shown as similar again.' };
    });
  }

  private change(context: PageContext, work: Work): Promise<Reply> {
    const after = parseId(oneOfQuery(context.request.query['after']));
    return redirectAfter(context, similarPath(after), () =>
      work(callerOfPage(context), (action) => similarPath(after, action)),
    );
  }
}

function sentIds({ form }: PageContext, name: string): readonly Id[] {
  return selectedIds(form.all(name, FieldLength.word));
}

function SimilarGroup({ group, after }: { group: readonly PhotoWithUrls[]; after: Id | null }) {
  const { formats } = usePageContext();
  const photos = group.map(({ photo }) => photo);
  const best = bestOf(photos);
  const [first] = photos;
  return (
    <section class="card similar" aria-labelledby={`group-${first?.id}`}>
      <h2 id={`group-${first?.id}`}>
        {formats.pluralize(photos.length, 'similar photo')}
        <span class="unseen"> of group {first?.id}</span>
      </h2>
      {photos.length === MAX_GROUP && <p class="hint">There may be more: they appear when this group is smaller.</p>}
      <Form action={similarPath(after, '/keep')}>
        <ul class="alike">
          {group.map((shown) => (
            <SimilarPhoto key={shown.photo.id} shown={shown} isBest={shown.photo.id === best?.id} />
          ))}
        </ul>
        <div class="buttons">
          <Button>Move the others to the trash</Button>
          <button type="submit" class="button plain" formaction={similarPath(after, '/separate')}>
            These are different
          </button>
        </div>
      </Form>
    </section>
  );
}

function SimilarPhoto({ shown, isBest }: { shown: PhotoWithUrls; isBest: boolean }) {
  const { formats } = usePageContext();
  const { id, filename, contentType, sizeBytes, width, height, takenAtLocal, rating, tags } = shown.photo;
  return (
    <li>
      <a class="look" href={`/settings/photos/${id}`}>
        <Picture shown={shown} name="thumb" sizes="(max-width: 40rem) 7rem, 16rem" />
      </a>
      <div class="about">
        <label class="keep">
          <input type="checkbox" name="keep" value={id} checked={isBest} autocomplete="off" />
          Keep <span class="unseen">{photoName(shown.photo)}</span>
          {isBest && <Badge tone="good">Best</Badge>}
        </label>
        <input type="hidden" name="ids" value={id} />
        <p class="name">{filename}</p>
        <p>
          {formats.number(width)} × {formats.number(height)} · {formats.bytes(sizeBytes)} · {formatName(contentType)}
        </p>
        <p>{takenAtLocal === null ? 'Date not known' : formats.time(takenAtLocal.slice(0, 19))}</p>
        {rating !== null && rating > 0 && (
          <p>
            <span aria-hidden="true">{'★'.repeat(rating)}</span>
            <span class="unseen">{formats.pluralize(rating, 'star')}</span>
          </p>
        )}
        {tags.length > 0 && (
          <p class="tags-of">
            {tags.map(({ id: tagId, name }) => (
              <Badge key={tagId}>{name}</Badge>
            ))}
          </p>
        )}
      </div>
    </li>
  );
}

/** The page of groups after this photo, or an action that returns to it. */
function similarPath(after: Id | null, action = ''): string {
  return address(`/settings/similar${action}`, { after: after === null ? undefined : String(after) });
}

export function parsePair(text: string): readonly PhotoPair[] {
  const [photoId, otherId, more] = text.split('-', 3).map(parseId);
  return photoId && otherId && more === undefined ? [{ photoId, otherId }] : [];
}
