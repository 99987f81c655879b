import type { ComponentChildren } from 'preact';
import { photoFields } from '../../core/media/photo-fields.js';
import { MAX_TAG_NAME } from '../../core/tags/tag.js';
import { Button, MAX_ZONE_NAME, Options, TimeZoneNames } from '../form.js';
import { type LibraryQuery, selectionPath } from '../library-query/library-query.js';
import { Allowed, usePageContext } from '../page-context.js';
import { Icon } from '../parts.js';
import type { EditButton } from './selection.controller.js';

/** The actions for selected photos. Everything works without scripts, for the photos whose boxes are checked. */
export function LibraryActions({ query }: { query: LibraryQuery }) {
  return (
    <fieldset class="selection">
      <legend class="unseen">Actions for selected photos</legend>
      <span class="count">Selected photos</span>
      <span class="tagging">
        <label class="unseen" for="selection-tag">
          Name of a tag
        </label>
        <TagInput id="selection-tag" placeholder="Tag" />
        <ActionButton name="tag">
          <Icon name="tag" /> Add tag
        </ActionButton>
        <ActionButton name="untag">Remove tag</ActionButton>
      </span>
      <details class="more-actions">
        <summary class="button plain">
          <Icon name="pencil" /> Change
        </summary>
        <div class="card">
          <div class="row">
            <label for="selection-rating">Rating</label>
            <select id="selection-rating" name="rating" autocomplete="off">
              <Options choices={ratings} chosen={null} />
            </select>
            <ActionButton name="rate">Rate</ActionButton>
          </div>
          <div class="row">
            <span>Rotate</span>
            <ActionButton name="rotate-left">
              <Icon name="rotate-ccw" /> Left
            </ActionButton>
            <ActionButton name="rotate-right">
              <Icon name="rotate-cw" /> Right
            </ActionButton>
            <ActionButton name="rotate-half">180°</ActionButton>
          </div>
          {/* With its script (shift-preview.ts) it shows what the time of the first selected photo becomes. */}
          <fieldset class="shift" data-shift>
            <legend>Capture time</legend>
            <ShiftFields />
            <div class="row">
              <label for="shift-zone">Time zone</label>
              <input
                id="shift-zone"
                type="text"
                name="timeZone"
                maxLength={MAX_ZONE_NAME}
                placeholder="As it is"
                autocomplete="off"
                list="zones-of-shift"
              />
              <TimeZoneNames id="zones-of-shift" />
              <ActionButton name="shift">Change time</ActionButton>
            </div>
            <p class="hint" data-shift-preview aria-live="polite" />
          </fieldset>
        </div>
      </details>
      <button type="submit" class="button plain" formaction={selectionPath(query, '/photos.zip')} data-download>
        <Icon name="download" /> Download
      </button>
      {usePageContext().forSelection.map(({ name, label, icon, role }) => (
        <Allowed key={name} least={role}>
          <Button kind="plain" name="do" value={name}>
            <Icon name={icon} /> {label}
          </Button>
        </Allowed>
      ))}
      <ActionButton name="trash" isForDeleteKey>
        <Icon name="trash" /> Move to trash
      </ActionButton>
      <SelectionButtons />
    </fieldset>
  );
}

/** An input for the name of a tag; a script suggests those that there are. */
export function TagInput(props: { id: string; value?: string; placeholder?: string; required?: boolean }) {
  const { id, value, placeholder, required } = props;
  return (
    <>
      <input
        id={id}
        type="text"
        name="tag"
        value={value}
        maxLength={MAX_TAG_NAME}
        placeholder={placeholder}
        autocomplete="off"
        required={required}
        list={`${id}-names`}
      />
      <datalist id={`${id}-names`} data-tag-names />
    </>
  );
}

export function TrashActions() {
  return (
    <fieldset class="selection">
      <legend class="unseen">Actions for selected photos</legend>
      <span class="count">Selected photos</span>
      <ActionButton name="restore">
        <Icon name="archive-restore" /> Restore
      </ActionButton>
      <Button kind="danger" name="do" value="delete">
        Delete permanently
      </Button>
      <SelectionButtons />
    </fieldset>
  );
}

/** The ratings of a photo, as values of fields and for people. */
export const ratings: readonly (readonly [value: string, label: string])[] = [
  ['', 'Not rated'],
  ['0', '0 stars'],
  ...Array.from({ length: photoFields.rating.max }, (_, at) => [String(at + 1), '★'.repeat(at + 1)] as const),
];

/** By how much a capture time is moved (`sentSeconds`). */
export function ShiftFields() {
  return (
    <div class="row">
      <label class="unseen" for="shift-direction">
        Direction
      </label>
      <select id="shift-direction" name="direction" autocomplete="off">
        <option value="">Later by</option>
        <option value="back">Earlier by</option>
      </select>
      {['days', 'hours', 'minutes', 'seconds'].map((unit) => (
        <span key={unit} class="unit">
          <input
            id={`shift-${unit}`}
            type="number"
            name={unit}
            min="0"
            max="36525"
            placeholder="0"
            inputmode="numeric"
            autocomplete="off"
          />
          <label for={`shift-${unit}`}>{unit}</label>
        </span>
      ))}
    </div>
  );
}

/** A button for what a script does without leaving the page (photo-actions.ts). */
function ActionButton(props: { name: EditButton; isForDeleteKey?: boolean; children: ComponentChildren }) {
  const { name, isForDeleteKey, children } = props;
  return (
    <button
      type="submit"
      class="button plain"
      name="do"
      value={name}
      data-in-place
      data-delete-key={isForDeleteKey ? '' : undefined}
    >
      {children}
    </button>
  );
}

function SelectionButtons() {
  return (
    <>
      <button type="button" class="quiet" data-select-all hidden>
        Select all
      </button>
      <button type="button" class="quiet" data-clear-selection hidden>
        Clear
      </button>
    </>
  );
}
