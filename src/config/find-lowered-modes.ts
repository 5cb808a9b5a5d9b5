/** Finds configured modes that are above the ceilings of the server. Pure. */
import type { Config } from './config.shape.ts'

/** Requests that name no mode run with the ceiling instead. The command line has no ceilings, so it uses these modes. */
export function findLoweredModes({ server, unified_flags: shared, backends }: Config): string[] {
  const { max_approval_mode: approval, max_sandbox_mode: sandbox } = server
  const sections = [{ name: 'unified_flags', modes: shared }, ...Object.entries(backends).map(toSection)]
  return sections.flatMap(({ name, modes: { approval_mode, sandbox_mode } }) => [
    ...describe(`${name}.approval_mode`, approval_mode, { 'server.max_approval_mode': approval }),
    ...describe(`${name}.sandbox_mode`, sandbox_mode, {
      'server.max_sandbox_mode': sandbox,
      'server.max_approval_mode': approval,
    }),
  ])
}

function toSection([name, modes]: [string, Config['backends'][string]]) {
  return { name: `backends.${name}`, modes }
}

function describe(key: string, mode: string, ceilings: Readonly<Record<string, string>>): string[] {
  const broken = Object.entries(ceilings).find(([, ceiling]) => isAbove(mode, ceiling))
  return broken === undefined
    ? []
    : [`${key} is ${mode}, but ${broken[0]} is ${broken[1]}; requests to the server that name no mode get less`]
}

/** The strictest first. Modes of one row let an agent do the same without asking. */
const RANKS: readonly (readonly string[])[] = [
  ['always', 'read-only'],
  ['auto', 'workspace'],
  ['none', 'sandboxed', 'full'],
]

/** `default` and an empty mode are above nothing; an empty ceiling limits nothing. */
function isAbove(mode: string, ceiling: string): boolean {
  const rankOf = (wanted: string) => RANKS.findIndex((row) => row.includes(wanted))
  return ceiling !== '' && rankOf(mode) > rankOf(ceiling)
}
