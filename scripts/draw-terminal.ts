import { escapeXml, MONO, svg } from './svg.ts'
import type { Scene } from './tour.ts'

const COLUMNS = 108
const FONT = { size: 14, width: 8.45, height: 20 }
const MARGIN = { x: 20, y: 52 }
const COLOURS = { back: '#0d1117', bar: '#161b22', text: '#c9d1d9', typed: '#f0f6fc', sign: '#3fb950' }

type Line = { text: string; isTyped: boolean; isFirst: boolean }

/** Draws a terminal with these commands and their output. */
export function drawTerminal(scenes: readonly Scene[]): string {
  const lines = scenes.flatMap(linesOf)
  const width = Math.ceil(2 * MARGIN.x + COLUMNS * FONT.width)
  const height = MARGIN.y + lines.length * FONT.height + MARGIN.x
  return svg({ width, height, title: 'drover in a terminal' }, [
    `<rect width="${width}" height="${height}" rx="8" fill="${COLOURS.back}"/>`,
    `<path d="M0 8a8 8 0 0 1 8-8h${width - 16}a8 8 0 0 1 8 8v24H0z" fill="${COLOURS.bar}"/>`,
    ...['#ff5f56', '#ffbd2e', '#27c93f'].map(
      (fill, at) => `<circle cx="${20 + at * 20}" cy="16" r="6" fill="${fill}"/>`,
    ),
    `<g font-family="${MONO}" font-size="${FONT.size}">`,
    ...lines.map((line, at) => drawLine(line, MARGIN.y + at * FONT.height)),
    '</g>',
  ])
}

function drawLine({ text, isTyped, isFirst }: Line, y: number): string {
  // SVG would collapse several spaces into one.
  const shown = escapeXml(text).replaceAll('  ', '\u00a0\u00a0')
  if (!isTyped) return `<text x="${MARGIN.x}" y="${y}" fill="${COLOURS.text}">${shown}</text>`
  const sign = isFirst ? `<tspan fill="${COLOURS.sign}">$ </tspan>` : ''
  return `<text x="${MARGIN.x}" y="${y}" fill="${COLOURS.typed}" font-weight="600">${sign}${shown}</text>`
}

function linesOf({ line, prints }: Scene): Line[] {
  // The prompt sign takes two columns of the first line.
  const [first = '', ...rest] = folded(`  ${line}`)
  const typed = [first.slice(2), ...rest].map((text, at) => ({ text, isTyped: true, isFirst: at === 0 }))
  const printed = prints.trimEnd().split('\n').flatMap(folded)
  return [...typed, ...[...printed, ''].map((text) => ({ text, isTyped: false, isFirst: false }))]
}

/** Breaks at a space if there is one in the second half of the line, unlike a real terminal. */
function folded(line: string): string[] {
  const parts = line.match(new RegExp(`.{${COLUMNS / 2},${COLUMNS}}(?= |$)|.{1,${COLUMNS}}`, 'gu')) ?? ['']
  return parts.map((part, at) => (at === 0 ? part : part.trimStart()))
}
