// The page of a photo: its focus is chosen by a click on the photo.

const card = document.querySelector('[data-focus]');
const figure = document.querySelector('.photo figure');
if (card !== null && figure !== null) offerChoice();

function offerChoice() {
  const [form, button, status] = ['form', '.choose button', '.choose [role="status"]'].map((each) =>
    card.querySelector(each),
  );
  const isChoosing = () => figure.classList.contains('choosing');
  const choose = (isOn) => {
    figure.classList.toggle('choosing', isOn);
    button.setAttribute('aria-pressed', String(isOn));
    status.textContent = isOn ? 'Click the point that is to stay in view. Escape cancels.' : '';
  };
  card.querySelector('.choose').hidden = false;

  button.addEventListener('click', () => {
    choose(!isChoosing());
    if (isChoosing()) figure.scrollIntoView({ block: 'nearest' });
  });
  addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && isChoosing()) choose(false);
  });
  // The picture is a link to a larger one.
  figure.addEventListener('click', (event) => {
    if (!isChoosing()) return;
    event.preventDefault();
    const { left, top, width, height } = figure.querySelector('img').getBoundingClientRect();
    form.elements.x.value = percent(event.clientX - left, width);
    form.elements.y.value = percent(event.clientY - top, height);
    choose(false);
    form.requestSubmit();
  });
}

/** Of what is beside the picture, the nearest point of it. */
function percent(at, length) {
  return ((Math.min(Math.max(at, 0), length) / length) * 100).toFixed(2);
}
