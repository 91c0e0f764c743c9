'use strict';
// Lets a reader accept, reject or skip each entry of a list, and save the accepted ones. What was
// decided is kept in the browser, under the list's own key: pages opened as files share a storage.
const review = JSON.parse(document.getElementById('review').textContent);
const figures = [...document.querySelectorAll('figure[data-entry]')];
const entries = new Map(review.entries.map(entry => [entry.id, entry]));
const CHOICES = {a: 'accept', r: 'reject', s: 'skip'};
const STORE = `vitbackbones ${review.key}`;
const status = document.getElementById('status');
const save = document.getElementById('save');
const chosen = stored();
let current = Math.max(0, figures.findIndex(figure => !chosen[figure.dataset.entry]));

function stored() {
  const found = {};
  try {
    for (const [id, choice] of Object.entries(JSON.parse(localStorage.getItem(STORE)) || {})) {
      if (entries.has(id) && Object.values(CHOICES).includes(choice)) found[id] = choice;
    }
  } catch {} // a browser that stores nothing, or something else stored
  return found;
}

function keep() {
  try {
    localStorage.setItem(STORE, JSON.stringify(chosen));
    return '';
  } catch {
    return ' This browser does not keep decisions: save before you close the page.';
  }
}

function accepted() {
  return [...entries.values()].filter(entry => chosen[entry.id] === 'accept');
}

// One label can have one correction: the others of it are skipped.
function choose(id, choice) {
  if (chosen[id] === choice) delete chosen[id];
  else chosen[id] = choice;
  const {image, label} = entries.get(id);
  if (chosen[id] !== 'accept' || label === null) return;
  for (const other of accepted()) {
    const isSame = other.image === image && other.label === label;
    if (isSame && other.id !== id) chosen[other.id] = 'skip';
  }
}

function show() {
  const problem = keep();
  for (const [place, figure] of figures.entries()) {
    const choice = chosen[figure.dataset.entry];
    figure.classList.toggle('current', place === current);
    figure.dataset.choice = choice || '';
    for (const button of figure.querySelectorAll('button')) {
      button.setAttribute('aria-pressed', button.dataset.choice === choice);
    }
  }
  const count = accepted().length;
  const decided = Object.keys(chosen).length;
  status.textContent = `${decided} of ${figures.length} decided, ${count} accepted.${problem}`;
  save.disabled = !count;
}

function go(place) {
  current = Math.min(Math.max(place, 0), figures.length - 1);
  show();
  figures[current].scrollIntoView({block: 'center'});
}

function download() {
  const used = [...new Set(accepted().map(entry => entry.image))];
  const images = used.map(image => review.images[image]).join(',\n');
  const annotations = accepted().map(entry => entry.text).join(',\n');
  // parts of JSON that was never read here, as numbers of more than 15 digits would be rounded
  const text = `{"images": [${images}],\n"annotations": [${annotations}],\n${review.rest.slice(1)}\n`;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], {type: 'application/json'}));
  link.download = 'corrections.json';
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

for (const [place, figure] of figures.entries()) {
  for (const [key, choice] of Object.entries(CHOICES)) {
    const button = document.createElement('button');
    button.textContent = `${choice} (${key.toUpperCase()})`;
    button.dataset.choice = choice;
    button.addEventListener('click', () => {
      choose(figure.dataset.entry, choice);
      current = place;
      show();
    });
    figure.append(button);
  }
}
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const key = event.key.toLowerCase();
  if (key === 'j') go(current + 1);
  if (key === 'k') go(current - 1);
  if (!(key in CHOICES)) return;
  choose(figures[current].dataset.entry, CHOICES[key]);
  go(current + 1);
});
save.addEventListener('click', download);
document.getElementById('bar').hidden = false;
show();
