/** The forbidden control characters of each kind of text, as the inside of a character class. */
const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f'
const CONTROLS_EXCEPT_TAB_AND_LINE_ENDINGS = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f'

type TextKind = {
  /** The forbidden characters. */
  readonly controls: string
  readonly says: string
  readonly hasControls: (text: string) => boolean
}

export const PLAIN: TextKind = textKind(CONTROLS, 'text without control characters')

export const MARKDOWN: TextKind = textKind(
  CONTROLS_EXCEPT_TAB_AND_LINE_ENDINGS,
  'text without control characters except tabs and line endings',
)

function textKind(controls: string, says: string): TextKind {
  const pattern = new RegExp(`[${controls}]`)
  return { controls, says, hasControls: (text) => pattern.test(text) }
}
