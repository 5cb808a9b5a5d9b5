/** Whether tests can start sandboxes here. */
import { spawnSync } from 'node:child_process'

/** Says what is missing, and how to get it. */
export const NO_SANDBOX = 'no sandbox on this machine; install bubblewrap, and allow user namespaces'

export function canSandbox(): boolean {
  return spawnSync('bwrap', ['--unshare-user', '--unshare-net', '--ro-bind', '/', '/', 'true']).status === 0
}
