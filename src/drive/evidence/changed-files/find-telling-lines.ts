/**
 * Finds new lines of which a person should know: secrets, by well-known names of files and forms of keys, and lines that say less
 * about the work than its checks seem to, because they hold only here or turn a check off. Pure.
 */

type Changed = { readonly path: string; readonly before?: string | undefined; readonly after: string | undefined }

type TellingLine = { readonly what: string; readonly line: number }

type Secret = {
  /** What it is; never the secret itself. */
  readonly what: string
  /** Absent if the name of the file tells. */
  readonly line?: number
}

const FORMS: readonly (readonly [string, RegExp])[] = [
  ['a private key', /-----BEGIN (?:[A-Z]{2,10} )?PRIVATE KEY(?: BLOCK)?-----/],
  ['an access key of AWS', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['a token of GitHub', /\b(?:gh[oprsu]_[A-Za-z0-9]{36}|github_pat_\w{22,255})\b/],
  ['a token of GitLab', /\bglpat-[\w-]{20,64}/],
  ['a token of Slack', /\bxox[abeoprs]-[\w-]{10,250}/],
  ['a key of Anthropic', /\bsk-ant-[\w-]{20,250}/],
  ['a key of OpenAI', /\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{32,250}/],
  ['a key of Google', /\bAIza[\w-]{35}/],
  ['a token of npm', /\bnpm_[A-Za-z0-9]{36}\b|:_(?:authToken|password|auth)\s?=\s?(?!\$\{)[^\s$]{8,250}/],
  ['a token of PyPI', /\bpypi-AgEI[\w-]{50,250}/],
  ['a key of Stripe', /\b[rs]k_live_[0-9A-Za-z]{24,250}/],
  ['a key of SendGrid', /\bSG\.[\w-]{22}\.[\w-]{43}/],
  ['a token of Hugging Face', /\bhf_[A-Za-z]{34}\b/],
]

const NAMES =
  /(?:^|\/)(?:\.env(?:\.[^/]+)?|id_(?:rsa|dsa|ecdsa|ed25519)|\.netrc|_netrc|\.pgpass|\.htpasswd|\.git-credentials|\.pypirc|\.aws\/credentials|[^/]+\.(?:p12|pfx|jks|keystore|kdbx))$/i
/** Files that show which variables there are, or that are for tests. */
const HARMLESS = /\.env\.(?:example|sample|template|dist|defaults?|schema|test|ci)$/i
/** Too few different characters for a key: a placeholder. */
const MIN_DIFFERENT = 8
const PLACEHOLDER = /example|placeholder|your[-_]|dummy|fake|x{6}|0{6}|1234567|abcdef/i

/** A longer line is generated, and is looked at only as far as this. */
const MAX_LINE = 4000

/** What `before` has already is not new. */
export function findSecrets({ path, before, after }: Changed): Secret[] {
  if (NAMES.test(path) && !HARMLESS.test(path) && after !== '')
    return [{ what: 'its name is that of a file with secrets' }]
  return findNewLines({ before, after }, (text) => {
    return FORMS.find(([, pattern]) => isSecret(pattern.exec(text.slice(0, MAX_LINE))?.[0]))?.[0]
  })
}

function isSecret(found: string | undefined): boolean {
  if (found === undefined) return false
  return found.startsWith('-----') || (!PLACEHOLDER.test(found) && new Set(found).size >= MIN_DIFFERENT + 4)
}

const KINDS: readonly (readonly [RegExp, string])[] = [
  [/\bDROVER_[A-Z]{2,}/, 'it reads a variable that only drover sets'],
  [/@ts-nocheck\b/, 'it turns off the type checker for the file'],
  [/\/\*\s{0,8}eslint-disable(?!-(?:next-)?line)\b/, 'it turns off the linter'],
  [/\bbiome-ignore-all\b|\boxlint-disable(?!-(?:next-)?line)\b/, 'it turns off the linter for the file'],
  [/#\s{0,8}(?:mypy:\s{0,4}ignore-errors|pyright:\s{0,4}basic)\b/, 'it turns off the type checker for the file'],
  [/#\s{0,8}(?:flake8|ruff):\s{0,4}noqa\b|#\s{0,8}pylint:\s{0,4}skip-file\b/, 'it turns off the linter for the file'],
  [/#!\[allow\(/, 'it turns off the linter for the file'],
]
/** Texts for people may name all of it. */
const PROSE = /\.(?:md|mdx|markdown|txt|rst|adoc)$/i
/** Git calls a file binary that has a NUL in as much of its beginning. */
const BINARY_HEAD = 8000
/** Of one file: a person who looks sees the others. */
const MAX_LINES = 3

/** A binary file has none. `worktree` is the root of the worktree, which is removed after the work. */
export function findTellingLines({ path, before, after }: Changed, worktree: string): TellingLine[] {
  if (PROSE.test(path) || after?.slice(0, BINARY_HEAD).includes('\0') === true) return []
  const found = findNewLines({ before, after }, (text) => {
    if (text.includes(worktree)) return 'it names the worktree of the run, which is removed'
    return KINDS.find(([pattern]) => pattern.test(text.slice(0, MAX_LINE)))?.[1]
  })
  return found.slice(0, MAX_LINES)
}

function findNewLines(
  { before = '', after = '' }: Omit<Changed, 'path'>,
  tell: (text: string) => string | undefined,
): TellingLine[] {
  const known = new Set(before.split('\n'))
  return after.split('\n').flatMap((text, at) => {
    const what = known.has(text) ? undefined : tell(text)
    return what === undefined ? [] : [{ what, line: at + 1 }]
  })
}
