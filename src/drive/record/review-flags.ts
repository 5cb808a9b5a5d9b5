/** The flags of a review: what a person should look at in the work of agents. */

/** They make the work worth less than its checks say: look before you use it. */
const SERIOUS_FLAGS = [
  'repository_changed',
  'agent_configuration_changed',
  'test_deleted',
  'test_skipped',
  'test_emptied',
  'test_asserts_less',
  'test_expects_other',
  'test_ends_early',
  'failing_tests_removed',
  'failing_tests_skipped',
  'check_configuration_changed',
  'lock_file_changed_alone',
  'link_leaves_repository',
  'history_rewritten',
  'secret_added',
  'change_hidden_from_git',
  'change_too_large',
] as const

/** Worth knowing. */
const NOTE_FLAGS = [
  'tests_removed',
  'tests_skipped',
  'check_older_than_last_edit',
  'change_not_reported',
  'tool_call_denied',
  'evidence_incomplete',
  'test_changed',
  'build_configuration_changed',
  'committed_by_agent',
  'change_ignored_by_git',
  'checkout_changed',
] as const

export const FLAGS = [...SERIOUS_FLAGS, ...NOTE_FLAGS] as const

const SERIOUS: ReadonlySet<string> = new Set(SERIOUS_FLAGS)

export function isSerious({ flag }: { readonly flag: (typeof FLAGS)[number] }): boolean {
  return SERIOUS.has(flag)
}
