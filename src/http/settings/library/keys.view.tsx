import type { ComponentChildren } from 'preact';

/** What can be done by keyboard (library-keys.ts). */
export function KeysDialog({ isTrash }: { isTrash: boolean }) {
  return (
    <dialog class="card" data-keys aria-labelledby="keys-title">
      <h2 id="keys-title">Keyboard shortcuts</h2>
      <dl class="keys">
        <Keys keys={['←', '→', '↑', '↓']}>Move from photo to photo</Keys>
        <Keys keys={['Enter']}>Open the photo</Keys>
        <Keys keys={['x']}>Select the photo</Keys>
        <Keys keys={['Shift + x']}>Select all from the last selected photo to this one</Keys>
        <Keys keys={['Ctrl + A']}>Select all photos that match</Keys>
        {!isTrash && <Keys keys={['t']}>Tag selected photos, or go on to other actions with Tab</Keys>}
        {!isTrash && <Keys keys={['Delete']}>Move selected photos to the trash</Keys>}
        <Keys keys={['Ctrl + Z']}>Undo the last change</Keys>
        <Keys keys={['Esc']}>Return to the photos; clear the selection</Keys>
        <Keys keys={['/']}>Search</Keys>
        <Keys keys={['?']}>Show this list</Keys>
        <Keys keys={['←', '→']}>Previous and next photo, in the viewer</Keys>
        <Keys keys={['+', '-', '0']}>Enlarge, reduce, show the whole photo</Keys>
        <Keys keys={['i']}>Information on the photo</Keys>
        <Keys keys={['f']}>Full screen</Keys>
      </dl>
      <form method="dialog" class="buttons">
        <button type="submit" class="button plain">
          Close
        </button>
      </form>
    </dialog>
  );
}

function Keys({ keys, children }: { keys: readonly string[]; children: ComponentChildren }) {
  return (
    <div>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}
