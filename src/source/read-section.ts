/** Reads a comment that is a section: its first non-blank line is the marker with the key, the rest is the text. */
import { isBlankLine, normalizeLineEnds, readTextLines } from './text-lines.ts'

const MARKER = /^<!-- drover-section:v1 key=(\S+) -->$/

export function sectionMarker(key: string): string {
  return `<!-- drover-section:v1 key=${key} -->`
}

export type SectionText = {
  /** The first non-blank line; empty if there is none. */
  marker: string
  /** The key in the marker; undefined if the line is not a marker. */
  key: string | undefined
  /** Everything below the marker, unchanged. */
  text: string
}

export function readSection(body: string): SectionText {
  const whole = normalizeLineEnds(body)
  for (const line of readTextLines(whole)) {
    if (isBlankLine(line.text)) continue
    return { marker: line.text, key: MARKER.exec(line.text)?.[1], text: whole.slice(line.end + 1) }
  }
  return { marker: '', key: undefined, text: '' }
}
