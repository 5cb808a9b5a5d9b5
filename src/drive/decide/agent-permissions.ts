/** What an agent may do in an action. Pure. */
import type { Action } from '../../contract/action.shape.ts'
import type { Options } from '../record/drive-event.shape.ts'

/**
 * Only an implementation may change files. The sandbox mode is always named: a resumed session would keep its own. With
 * `sandboxed`, all actions are done inside, because they share a session.
 */
export function permissionsFor(
  { kind }: Pick<Action, 'kind'>,
  { approval_mode: approval }: Pick<Options, 'approval_mode'>,
) {
  const inside = approval === 'sandboxed' ? ({ sandbox: 'required' } as const) : {}
  if (kind !== 'implement') return { approval_mode: 'auto', sandbox_mode: 'read-only', ...inside } as const
  if (approval === 'sandboxed') return { approval_mode: 'sandboxed', sandbox_mode: 'full', ...inside } as const
  if (approval === 'none') return { approval_mode: 'none', sandbox_mode: 'full' } as const
  if (approval === 'always') return { approval_mode: 'always', sandbox_mode: 'read-only' } as const
  return { approval_mode: 'auto', sandbox_mode: 'workspace' } as const
}

/** drover runs the checks after the work in any case. Without a permission to edit, the agent only reads. */
export function commandsFor(
  { kind }: Pick<Action, 'kind'>,
  { approval_mode: approval, checks }: Pick<Options, 'approval_mode' | 'checks'>,
) {
  const isNeeded = kind === 'implement' && approval !== 'always' && approval !== 'sandboxed'
  return isNeeded ? { allowedCommands: checks } : {}
}
