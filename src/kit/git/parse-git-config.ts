/**
 * Reads the text of a configuration of git as git does. Git itself is not asked: this is needed before every prompt under a
 * ceiling, also where no git is installed. Pure.
 */

/** The key as git compares it: only the middle part, if there is one, is case-sensitive. A key without a value is true. */
export type GitSetting = { readonly key: string; readonly value: string }

/** In order. Undefined if git could not read the text. */
export function parseGitConfig(text: string): GitSetting[] | undefined {
  if (text.includes('\0')) return undefined
  const settings: GitSetting[] = []
  // Git skips a byte order mark, and takes the end of a file for any number of ends of lines.
  let rest = `${text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')}\n\n`.replace(BLANK, '')
  for (let section = ''; rest !== ''; rest = rest.replace(BLANK, '')) {
    const header = HEADER.exec(rest)
    if (header !== null) {
      section = `${toSection(header)}.`
      rest = rest.slice(header[0].length)
      continue
    }
    const read = readSetting(rest)
    if (read === undefined) return undefined
    settings.push({ key: section + read.name, value: read.value })
    rest = read.rest
  }
  return settings
}

/** The same for the output of `git config --null --list`. */
export function parseGitList(output: string): GitSetting[] {
  const entries = output.split('\0').slice(0, -1)
  return entries.map((entry) => {
    const at = entry.indexOf('\n')
    return at === -1 ? { key: entry, value: 'true' } : { key: entry.slice(0, at), value: entry.slice(at + 1) }
  })
}

const BLANK = /^(?:[ \t\r\n]+|[#;][^\n]*\n)+/
const HEADER = /^\[([A-Za-z0-9.-]+)(?:[ \t\r]+"((?:\\[^\n]|[^"\\\n])*)")?\]/
const NAME = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*(=|(?=\n))/

function toSection([, name = '', middle]: RegExpExecArray): string {
  const outer = name.toLowerCase()
  return middle === undefined ? outer : `${outer}.${middle.replace(/\\(.)/g, '$1')}`
}

function readSetting(text: string): { name: string; value: string; rest: string } | undefined {
  const [all = '', name = '', equals] = NAME.exec(text) ?? []
  const rest = text.slice(all.length)
  const read = equals === '=' ? readValue(rest) : { value: 'true', rest }
  return all === '' || read === undefined ? undefined : { name: name.toLowerCase(), ...read }
}

const ESCAPED: Readonly<Record<string, string>> = { t: '\t', b: '\b', n: '\n', '\n': '' }
/** Text, text in quotes, an escape or blanks. A comment is none of them. */
const PIECE = /([^ \t\r"\\\n#;]+)|"((?:[^"\\\n]|\\[tbn\\"\n])*)"|(\\[tbn\\"\n])|([ \t\r]+)|[#;][^\n]*/y

/** The value up to the end of its line, which a backslash continues. Blanks around it do not count. */
function readValue(text: string): { value: string; rest: string } | undefined {
  let value = ''
  let blanks = ''
  for (let at = 0; ; at = PIECE.lastIndex) {
    PIECE.lastIndex = at
    const [piece, plain, quoted, escaped, blank] = PIECE.exec(text) ?? []
    if (piece === undefined) return text[at] === '\n' ? { value, rest: text.slice(at) } : undefined
    const part = plain ?? replaceEscapes(quoted ?? escaped)
    if (part !== undefined) value += blanks + part
    blanks = part === undefined && value !== '' ? blanks + (blank ?? '') : ''
  }
}

function replaceEscapes(text: string | undefined): string | undefined {
  return text?.replace(/\\(.)/gs, (_, character: string) => ESCAPED[character] ?? character)
}
