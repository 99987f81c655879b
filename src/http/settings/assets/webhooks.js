// Forms of webhooks: ticking an event means that not all of them are wanted.

for (const box of document.querySelectorAll('[data-chooses]')) {
  box.addEventListener('change', () => {
    if (box.checked) document.getElementById(box.dataset.chooses).checked = true;
  });
}
