// Buttons that copy what stands beside them: `data-copy` names its element.

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  const source = document.getElementById(button.dataset.copy ?? '');
  if (source === null) continue;
  button.hidden = false;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(source.textContent.trim());
      say(button, 'Copied');
    } catch {
      // Without TLS there is no clipboard for scripts: selected, it is one key press away.
      getSelection()?.selectAllChildren(source);
      say(button, 'Selected: press Ctrl+C');
    }
  });
}

function say(button: HTMLElement, text: string): void {
  button.textContent = text;
  const status = document.getElementById('copied');
  if (status) status.textContent = text;
}
