// Sends requests from the reference to this service. The key stays in the session storage of this tab, one for each API.
window.addEventListener('DOMContentLoaded', () => {
  const key = document.getElementById('try-key');
  if (!key) return;
  const stored = /\/docs\/operator(\/|$)/.test(location.pathname) ? 'docs-operator-token' : 'docs-key';
  key.value = sessionStorage.getItem(stored) ?? '';
  key.addEventListener('input', () => sessionStorage.setItem(stored, key.value));
  for (const hidden of document.querySelectorAll('.key, .try')) hidden.hidden = false;
  document.addEventListener('submit', async (event) => {
    event.preventDefault();
    const form = event.target;
    const button = form.querySelector('button');
    button.disabled = true;
    const shown = await sent(form, key.value.trim()).catch((error) => [text('p', `No response: ${error.message}`)]);
    form.querySelector('.answer').replaceChildren(...shown);
    button.disabled = false;
  });
});

async function sent(form, key) {
  const { method, path, type } = form.dataset;
  const of = (place) => [...form.querySelectorAll(`[data-in=${place}]`)];
  const query = new URLSearchParams(of('query').flatMap(({ name, value }) => (value === '' ? [] : [[name, value]])));
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    const { value } = of('path').find((input) => input.name === name);
    return value.split(',').map(encodeURIComponent).join(',');
  });
  const [body] = of('body');
  const response = await fetch(query.size > 0 ? `${filled}?${query}` : filled, {
    method,
    headers: { Authorization: `Bearer ${key}`, ...(body && { 'Content-Type': type }) },
    body: body?.value,
    credentials: 'omit',
  });
  const status = text('p', `${response.status} ${response.statusText}`);
  const contentType = response.headers.get('content-type') ?? '';
  if (contentType.startsWith('image/')) {
    const image = new Image();
    image.src = URL.createObjectURL(await response.blob());
    image.alt = 'What was downloaded';
    return [status, image];
  }
  const answer = await response.text();
  if (answer === '') return [status];
  const shown = text('pre', contentType.includes('json') ? JSON.stringify(JSON.parse(answer), null, 2) : answer);
  shown.tabIndex = 0;
  return [status, shown];
}

function text(name, content) {
  const element = document.createElement(name);
  element.append(content);
  return element;
}
