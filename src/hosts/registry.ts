/** Every host that drover knows, and what it generates for each. */
import { claude } from './adapters/claude.ts'
import { codex } from './adapters/codex.ts'
import { copilot } from './adapters/copilot.ts'
import { cursor } from './adapters/cursor.ts'
import { kilo } from './adapters/kilo.ts'
import { kiro } from './adapters/kiro.ts'
import { opencode } from './adapters/opencode.ts'
import { pi } from './adapters/pi.ts'
import { qwen } from './adapters/qwen.ts'
import { windsurf } from './adapters/windsurf.ts'
import { CAPABILITIES } from './capabilities.ts'
import { EARLIER_FILES, type EarlierFile } from './earlier-files.ts'
import { type GeneratedFile, type Host, manifestPath, type Surface, sentinelPath } from './host.ts'

/** In the order in which they are listed and changed. */
export const HOSTS: readonly Host[] = [claude, codex, copilot, cursor, kilo, kiro, opencode, pi, qwen, windsurf]

export function findHost(id: string): Host | undefined {
  return HOSTS.find((host) => host.id === id)
}

/** The ways in which a host can be installed; one without surfaces has one way all the same. */
export function surfacesOf({ surfaces }: Host): readonly (Surface | undefined)[] {
  return surfaces.length === 0 ? [undefined] : surfaces
}

/** What this release generates for a host, supports before the callables that need them. */
export function generatedFiles(host: Host, surface: Surface | undefined): readonly GeneratedFile[] {
  const files = CAPABILITIES.flatMap((capability) => host.filesOf(capability, surface))
  return [...files.filter(({ role }) => role !== 'callable'), ...files.filter(({ role }) => role === 'callable')]
}

/** Every path that has to be looked at before anything can be said about a host. */
export function pathsOf(host: Host, earlier: readonly EarlierFile[] = EARLIER_FILES): readonly string[] {
  const generated = surfacesOf(host)
    .flatMap((surface) => generatedFiles(host, surface))
    .map(({ path }) => path)
  const former = earlier.filter((file) => file.host === host.id).map(({ path }) => path)
  return [...new Set([manifestPath(host), sentinelPath(host), ...generated, ...former])]
}
