// Forms of webhooks: ticking an event means that not all of them are wanted.

for (const box of document.querySelectorAll<HTMLInputElement>('[data-chooses]')) {
  box.addEventListener('change', () => {
    const chosen = document.getElementById(box.dataset.chooses ?? '');
    if (box.checked && chosen instanceof HTMLInputElement) chosen.checked = true;
  });
}
