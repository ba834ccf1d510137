// The eigenvalues of the Gram matrix, on a logarithmic scale; negative ones stand out.

import { prepare } from '../canvas.js';
import { palette } from '../colors.js';
import { $ } from '../dom.js';

const SHOWN = 60;
const FLOOR = 1e-9;

export function drawSpectrum(answer) {
  const { context, width, height } = prepare($('#spectrum'));
  const values = answer.spectrum;
  if (!values) return;
  const { classes, bad, soft, line } = palette();
  const largest = Math.max(...values.map(Math.abs), 1e-12);
  const picked = pick(values);
  const step = (width - 34) / picked.length;
  const usable = height - 24;
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
    context.fillRect(34 + at * step, 6 + usable * (1 - size), Math.max(1, step - 1.5), usable * size);
  });
  context.fillStyle = soft;
  context.fillText(`${values.length} eigenvalues, the largest first`, 36, height - 4);
  const facts = answer.spectrum_facts;
  const words = [facts.effective ? `effective dimension ${facts.effective.toFixed(1)}` : ''];
  words.push(facts.negative ? `${facts.negative} negative: not a kernel on these samples` : 'none negative');
  $('#spectrum-facts').textContent = words.filter(Boolean).join(' · ');
}

// All of few eigenvalues; of many, the first and the last ones.
function pick(values) {
  if (values.length <= SHOWN) return [...values];
  return [...values.slice(0, SHOWN - 12), ...values.slice(values.length - 12)];
}

function superscript(power) {
  return [...String(power)].map((sign) => ({ '-': '⁻', 0: '⁰', 3: '³', 6: '⁶', 9: '⁹' })[sign]).join('');
}
