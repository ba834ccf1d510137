// The eigenvalues of the Gram matrix, on a logarithmic scale; negative ones stand out.

import { prepare } from '../canvas.js';
import { palette } from '../colors.js';
import { $ } from '../dom.js';

const SHOWN = 60;
const LAST = 12; // of them, the smallest ones
const GAP = 14; // pixels between the two kinds
const FLOOR = 1e-9;

export function drawSpectrum(answer) {
  const { context, width, height } = prepare($('#spectrum'));
  const values = answer.spectrum;
  if (!values) return;
  const { classes, bad, soft, line } = palette();
  const largest = Math.max(...values.map(Math.abs), 1e-12);
  const picked = pick(values);
  const cut = values.length > SHOWN ? GAP : 0;
  const step = (width - 34 - cut) / picked.length;
  const usable = height - 14;
  context.font = '11px system-ui, sans-serif';
  for (const power of [0, -3, -6, -9]) {
    const y = 6 + usable * (power / Math.log10(FLOOR));
    context.strokeStyle = line;
    context.beginPath();
    context.moveTo(34, y);
    context.lineTo(width, y);
    context.stroke();
    context.fillStyle = soft;
    context.fillText(power === 0 ? 'λ₁' : `10${superscript(power)}`, 2, y + 4);
  }
  picked.forEach((value, at) => {
    const share = Math.abs(value) / largest;
    const size = Math.max(0, 1 - Math.log10(Math.max(share, FLOOR)) / Math.log10(FLOOR));
    const negative = value < -1e-10 * largest;
    context.fillStyle = negative ? bad : classes[0];
    context.fillRect(34 + at * step + (at < SHOWN - LAST ? 0 : cut), 6 + usable * (1 - size), Math.max(1, step - 1.5), usable * size);
  });
  const facts = answer.spectrum_facts;
  const words = [cut ? `the ${SHOWN - LAST} largest and the ${LAST} smallest of ${values.length} eigenvalues` : `${values.length} eigenvalues`];
  words.push(facts.effective ? `effective dimension ${facts.effective.toFixed(1)}` : '');
  words.push(facts.negative ? `${facts.negative} negative: not a kernel on these samples` : 'none negative');
  $('#spectrum-facts').textContent = words.filter(Boolean).join(' · ');
}

// All of few eigenvalues; of many, the first and the last ones.
function pick(values) {
  if (values.length <= SHOWN) return [...values];
  return [...values.slice(0, SHOWN - LAST), ...values.slice(values.length - LAST)];
}

function superscript(power) {
  return [...String(power)].map((sign) => ({ '-': '⁻', 0: '⁰', 3: '³', 6: '⁶', 9: '⁹' })[sign]).join('');
}
