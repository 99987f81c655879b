import type { IconName } from '../icon-shapes.js';
import { Icon } from '../parts.js';

/** The viewer, empty (viewer.ts): without scripts a photo opens its page. Its content can fill the screen; a dialog cannot (Fullscreen §3). */
export function ViewerDialog() {
  return (
    <dialog class="viewer" data-photo-viewer aria-labelledby="viewer-name">
      <div class="viewer-content" data-viewer="content">
        <div class="viewer-bar">
          <ViewerButton name="close" label="Close" icon="x" />
          <p id="viewer-name" data-viewer="name" />
          <ViewerButton name="enlarge" label="Enlarge" icon="zoom-in" />
          <ViewerButton name="screen" label="Full screen" icon="maximize" />
          <ViewerButton name="information" label="Information" icon="info" isSwitch />
        </div>
        <div class="viewer-stage" data-viewer="stage">
          <div class="frame" />
          <ViewerButton name="previous" label="Previous photo" icon="chevron-left" />
          <ViewerButton name="next" label="Next photo" icon="chevron-right" />
        </div>
        <aside class="photo viewer-panel" data-viewer="panel" aria-label="Information" hidden />
      </div>
    </dialog>
  );
}

interface ViewerButtonProps {
  readonly name: string;
  readonly label: string;
  readonly icon: IconName;
  /** It has the states on and off. */
  readonly isSwitch?: boolean;
}

function ViewerButton({ name, label, icon, isSwitch = false }: ViewerButtonProps) {
  return (
    <button
      type="button"
      data-viewer={name}
      aria-label={label}
      title={label}
      aria-pressed={isSwitch ? 'false' : undefined}
    >
      <Icon name={icon} />
    </button>
  );
}
