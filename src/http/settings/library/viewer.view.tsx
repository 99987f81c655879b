/** The viewer, empty (viewer.ts): without scripts a photo opens its page. */
export function ViewerDialog() {
  return (
    <dialog class="viewer" data-photo-viewer aria-labelledby="viewer-name">
      <div class="viewer-bar">
        <ViewerButton name="close" label="Close" path="M4 4l12 12M16 4L4 16" />
        <p id="viewer-name" data-viewer="name" />
        <ViewerButton
          name="enlarge"
          label="Enlarge"
          path="M9 3a6 6 0 1 0 0 12A6 6 0 0 0 9 3zM13.5 13.5L18 18M9 6v6M6 9h6"
        />
        <ViewerButton name="screen" label="Full screen" path="M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4" />
        <ViewerButton
          name="information"
          label="Information"
          path="M10 2a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM10 9v5M10 5.8v.4"
          isSwitch
        />
      </div>
      <div class="viewer-stage" data-viewer="stage">
        <div class="frame" />
        <ViewerButton name="previous" label="Previous photo" path="M13 3l-7 7 7 7" />
        <ViewerButton name="next" label="Next photo" path="M7 3l7 7-7 7" />
      </div>
      <aside class="photo viewer-panel" data-viewer="panel" aria-label="Information" hidden />
    </dialog>
  );
}

interface ViewerButtonProps {
  readonly name: string;
  readonly label: string;
  /** Of its icon, in a square of 20. */
  readonly path: string;
  /** It has the states on and off. */
  readonly isSwitch?: boolean;
}

function ViewerButton({ name, label, path, isSwitch = false }: ViewerButtonProps) {
  return (
    <button
      type="button"
      data-viewer={name}
      aria-label={label}
      title={label}
      aria-pressed={isSwitch ? 'false' : undefined}
    >
      <svg viewBox="0 0 20 20" aria-hidden="true" focusable="false">
        <path d={path} />
      </svg>
    </button>
  );
}
