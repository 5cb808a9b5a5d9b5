/** What an agent may do in an action. Pure. */
import type { Action } from '../../contract/action.shape.ts'
import type { DriveState } from '../record/drive-state.ts'
import type { Options } from '../record/recorded-options.shape.ts'

export type AgentPlace = { readonly approval: Exclude<Options['approval_mode'], 'default'>; readonly isInside: boolean }

/** By default, an agent may do everything inside of a boundary, and little outside. */
export function placeOf(
  backend: string,
  { options, boundary }: { options: Pick<Options, 'approval_mode'> } & Pick<DriveState, 'boundary'>,
): AgentPlace {
  const isInside = boundary?.is === 'inside' && boundary.agents?.includes(backend) === true
  const { approval_mode: mode } = options
  if (mode !== 'default') return { approval: mode, isInside }
  return { approval: isInside ? 'sandboxed' : 'auto', isInside }
}

/**
 * Only an implementation may change files. Both modes are always named: a resumed session would keep its own. All actions of an
 * agent are done in the same place, because they share a session.
 */
export function permissionsFor({ kind }: Pick<Action, 'kind'>, { approval, isInside }: AgentPlace) {
  const sandbox = isInside ? ('required' as const) : ('off' as const)
  if (kind !== 'implement') return { approval_mode: 'auto', sandbox_mode: 'read-only', sandbox } as const
  if (approval === 'sandboxed' || approval === 'none') {
    return { approval_mode: approval, sandbox_mode: 'full', sandbox } as const
  }
  if (approval === 'always') return { approval_mode: 'always', sandbox_mode: 'read-only', sandbox } as const
  return { approval_mode: 'auto', sandbox_mode: 'workspace', sandbox } as const
}

/** drover runs the checks after the work in any case. Without a permission to edit, the agent only reads. */
export function commandsFor(
  { kind }: Pick<Action, 'kind'>,
  { approval, checks }: Pick<AgentPlace, 'approval'> & Pick<Options, 'checks'>,
) {
  const isNeeded = kind === 'implement' && approval !== 'always' && approval !== 'sandboxed'
  return isNeeded ? { allowedCommands: checks } : {}
}
