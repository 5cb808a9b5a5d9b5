/** Parses the repository from the URL of a git remote. Pure. */
import type { ForgeRepository } from './forge.ts'

export type OriginRepository = { owner: string; repo: string }

const NAME = /^[A-Za-z0-9_.-]+$/
const HOST = '(?<host>[A-Za-z0-9.-]+)'
const SCP_FORM = new RegExp(`^git@${HOST}:(?<path>[^:]+)$`)
const URL_FORM = new RegExp(`^(?:https://|ssh://(?:git@)?)${HOST}/(?<path>.+)$`, 'i')

/** Undefined unless the URL is clearly on github.com: the result goes into an authenticated call. */
export function parseOrigin(address: string): OriginRepository | undefined {
  const { host, ...found } = parseRemote(address) ?? {}
  return host === 'github.com' && 'owner' in found ? found : undefined
}

/** A repository on any host. gh sends nothing to a host that it has no login for. */
export function parseRemote(address: string): ForgeRepository | undefined {
  const { host = '', path } = (SCP_FORM.exec(address) ?? URL_FORM.exec(address))?.groups ?? {}
  const [owner = '', name = '', ...rest] = path?.split('/') ?? []
  const repo = name.replace(/\.git$/, '')
  return rest.length === 0 && isName(owner) && isName(repo) ? { host: host.toLowerCase(), owner, repo } : undefined
}

function isName(text: string): boolean {
  return NAME.test(text) && text !== '.' && text !== '..'
}
