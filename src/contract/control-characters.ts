/** The control characters that the texts of messages may not have, as the inside of a character class. */
const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f'
const CONTROLS_BUT_TAB_AND_LINE_ENDS = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f'

type TextKind = {
  /** What a text of this kind has none of. */
  readonly controls: string
  readonly says: string
  readonly hasControls: (text: string) => boolean
}

export const PLAIN: TextKind = textKind(CONTROLS, 'text without control characters')

export const MARKDOWN: TextKind = textKind(
  CONTROLS_BUT_TAB_AND_LINE_ENDS,
  'text without control characters but tabs and line ends',
)

function textKind(controls: string, says: string): TextKind {
  const pattern = new RegExp(`[${controls}]`)
  return { controls, says, hasControls: (text) => pattern.test(text) }
}
