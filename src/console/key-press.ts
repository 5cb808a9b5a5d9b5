/** Whether a key that was pressed is meant for the page, and not for a field, a dialog or the browser. Pure. */

export type KeyPress = {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  /** Shift, or AltGr: some keyboards need one of them for `/` and `?`. */
  isShifted: boolean
  /** The key is held down. */
  repeat: boolean
  /** It is a part of a character, of Chinese for example. */
  isComposing: boolean
  isInField: boolean
  isDialogOpen: boolean
}

/** What is allowed or denied by one press of a key must not be repeated by a finger that stays on it. */
const DECIDES: readonly string[] = ['a', 'd']

export function isForPage(press: KeyPress): boolean {
  const { key, isShifted, repeat, isComposing, isInField, isDialogOpen } = press
  if (isInField || isDialogOpen || isComposing) return false
  if (press.ctrlKey || press.metaKey || press.altKey) return false
  return !(isShifted && /^[a-z]$/i.test(key)) && !(repeat && DECIDES.includes(key))
}
