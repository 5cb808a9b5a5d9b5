/** Parses the GitHub repository from the URL of a git remote. Pure. */

export type OriginRepository = { owner: string; repo: string }

const NAME = /^[A-Za-z0-9_.-]+$/
const SCP_FORM = /^git@github\.com:(?<path>[^:]+)$/i
const URL_FORM = /^(?:https:\/\/|ssh:\/\/(?:git@)?)github\.com\/(?<path>.+)$/i

/** Undefined unless the URL is clearly on github.com: the result goes into an authenticated call. */
export function parseOrigin(address: string): OriginRepository | undefined {
  const { path } = (SCP_FORM.exec(address) ?? URL_FORM.exec(address))?.groups ?? {}
  const [owner = '', name = '', ...rest] = path?.split('/') ?? []
  const repo = name.replace(/\.git$/, '')
  return rest.length === 0 && isName(owner) && isName(repo) ? { owner, repo } : undefined
}

function isName(text: string): boolean {
  return NAME.test(text) && text !== '.' && text !== '..'
}
