// The page of a photo: arrows lead to those beside it.

const links = { ArrowLeft: 'a[rel="prev"]', ArrowRight: 'a[rel="next"]' };

addEventListener('keydown', (event) => {
  const isTyping = event.target.closest('input, textarea, select, summary') !== null;
  if (isTyping || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  document.querySelector(links[event.key] ?? 'none')?.click();
});
