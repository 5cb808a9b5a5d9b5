/** A comment that is a section: its first line with text marks it and names its key, the rest is the section's text. */
import { isBlank, linesOf, normalizeLineEnds } from './text-lines.ts'

const MARKER = /^<!-- drover-section:v1 key=(\S+) -->$/

export function sectionMarker(key: string): string {
  return `<!-- drover-section:v1 key=${key} -->`
}

export type SectionText = {
  /** The first line that is not blank; empty if there is none. */
  marker: string
  /** The key that the marker names; undefined if it is no marker. */
  key: string | undefined
  /** Everything below it as it is, blank lines included. */
  text: string
}

export function readSection(body: string): SectionText {
  const whole = normalizeLineEnds(body)
  for (const line of linesOf(whole)) {
    if (isBlank(line.text)) continue
    return { marker: line.text, key: MARKER.exec(line.text)?.[1], text: whole.slice(line.end + 1) }
  }
  return { marker: '', key: undefined, text: '' }
}
