// The page begins here: connection, catalogue, the two sides, and the theme.

import { connection } from './connection.js';
import { startData } from './data/page.js';
import { $, h, toast } from './dom.js';
import { startPlay } from './play.js';
import { state } from './state.js';
import { startTheme } from './theme.js';

const SIDES = { play: '#play', data: '#data' };

function show(side) {
  for (const [name, selector] of Object.entries(SIDES)) {
    $(selector).hidden = name !== side;
    $(`#tab-${name}`).setAttribute('aria-selected', String(name === side));
    $(`#tab-${name}`).tabIndex = name === side ? 0 : -1;
  }
  window.dispatchEvent(new Event('resize'));
}

function watchTabs() {
  const tabs = Object.keys(SIDES).map((name) => $(`#tab-${name}`));
  tabs.forEach((tab, at) => {
    tab.addEventListener('click', () => show(Object.keys(SIDES)[at]));
    tab.addEventListener('keydown', (event) => {
      if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
      const other = tabs[(at + 1) % tabs.length];
      other.focus();
      other.click();
    });
  });
}

connection.onlost = (reason) => {
  $('#lost').hidden = false;
  $('#lost-text').textContent = reason || 'The studio was closed. Start it again with “mercer studio”, or reload the page.';
};

async function start() {
  startTheme();
  watchTabs();
  $('#reload').addEventListener('click', () => location.reload());
  const hello = await connection.open();
  state.catalogue = await connection.ask('hello');
  await startPlay();
  startData(hello, show);
  if (hello.file) show('data');
  $('#starting').hidden = true;
  document.body.dataset.ready = 'true';
}

window.addEventListener('unhandledrejection', (event) => toast(event.reason?.message ?? 'Something failed', 'bad'));
start().catch((error) => {
  document.body.append(h('p', { class: 'fatal', textContent: error.message }));
});
