/** The parts of an action that come from the pinned source. */
import type { Action } from '../../contract/action.shape.ts'
import type { PinnedSource } from '../../contract/pinned-source.shape.ts'
import type { Run } from './run.ts'

export function toActionSource(source: PinnedSource): NonNullable<Action['source']> {
  const { canonical_url, issue_id, source_revision, manifest_revision, requirements_revision } = source
  return {
    kind: 'change_issue',
    canonical_url,
    issue_id,
    source_revision,
    manifest_revision,
    requirements_revision,
  }
}

export function toActionRequirements(
  run: Run,
  { requirements_revision, sections }: PinnedSource,
  actionId: string,
): NonNullable<Action['requirements']> {
  const keys = sections.map(({ key }) => key)
  const root = run.workspace_identity.worktree_root
  return {
    requirements_revision,
    sections: sections.map(({ key, role, title, section_revision, material_sha256, bytes }) => ({
      key,
      role,
      title,
      section_revision,
      material_sha256,
      bytes,
    })),
    required_for_action: keys,
    reader: {
      operation: 'read_material',
      base_argv: ['drover', 'protocol', 'material', '--root', root, '--run', run.id, '--action', actionId],
      input: { name: 'section', type: 'enum', flag: '--section', required: true, choices: keys },
    },
  }
}
