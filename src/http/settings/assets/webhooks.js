// Pages of webhooks: copies a secret, and marks the choice that ticking an event means.

for (const button of document.querySelectorAll('[data-copies]')) {
  const field = document.getElementById(button.dataset.copies);
  const said = button.parentElement.querySelector('[role="status"]');
  button.hidden = false;
  button.addEventListener('click', async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      said.textContent = 'Copied.';
    } catch {
      // Browsers hand out the clipboard on https only; the text is selected already.
      said.textContent = 'Press Ctrl+C or ⌘C to copy.';
    }
  });
}

for (const box of document.querySelectorAll('[data-chooses]')) {
  box.addEventListener('change', () => {
    if (box.checked) document.getElementById(box.dataset.chooses).checked = true;
  });
}
