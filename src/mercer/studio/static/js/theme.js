// Light, dark, or as the system has it.

import { forget } from './colors.js';
import { $ } from './dom.js';
import { emit } from './state.js';

const ORDER = ['auto', 'light', 'dark'];
const SIGNS = { auto: '◐', light: '☀', dark: '☾' };

export function startTheme() {
  const stored = read();
  apply(ORDER.includes(stored) ? stored : 'auto');
  $('#theme').addEventListener('click', () => {
    const now = document.documentElement.dataset.theme;
    apply(ORDER[(ORDER.indexOf(now) + 1) % ORDER.length]);
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
}

function read() {
  try {
    return localStorage.getItem('mercer-theme');
  } catch {
    return null;
  }
}

function apply(theme) {
  document.documentElement.dataset.theme = theme;
  $('#theme').textContent = SIGNS[theme];
  $('#theme').setAttribute('aria-label', `Theme: ${theme}`);
  $('#theme').title = `Theme: ${theme}`;
  try {
    localStorage.setItem('mercer-theme', theme);
  } catch { /* nothing is stored */ }
  redraw();
}

function redraw() {
  forget();
  emit('redraw');
}
