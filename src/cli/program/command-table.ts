/** All commands in the order of the help. The definitions are loaded here; the code of a command is loaded when it runs. */

import { ACP_COMMANDS } from '../acp/commands.ts'
import { ACT_COMMANDS } from '../act/commands.ts'
import { BACKEND_COMMANDS } from '../backends/commands.ts'
import { BATCH_COMMANDS } from '../batch/commands.ts'
import { CHAT_COMMANDS } from '../chat/commands.ts'
import type { Command } from '../command.ts'
import { CONFIG_COMMANDS } from '../config/commands.ts'
import { DOCTOR_COMMANDS } from '../doctor/commands.ts'
import { DRIVE_COMMANDS } from '../drive/commands.ts'
import { EXECUTION_COMMANDS } from '../executions/commands.ts'
import { HOST_COMMANDS } from '../hosts/commands.ts'
import { KEY_COMMANDS } from '../keys/commands.ts'
import { LOCAL_COMMANDS } from '../local/commands.ts'
import { MCP_COMMANDS } from '../mcp/commands.ts'
import { NOTIFY_COMMANDS } from '../notify/commands.ts'
import { PROJECT_COMMANDS } from '../project/commands.ts'
import { PROMPT_COMMANDS } from '../prompt/commands.ts'
import { RESET_COMMANDS } from '../reset/commands.ts'
import { PROTOCOL_COMMANDS, RUN_COMMANDS } from '../run/commands.ts'
import { SANDBOX_COMMANDS } from '../sandbox/commands.ts'
import { SERVER_COMMANDS } from '../serve/commands.ts'
import { SESSION_COMMANDS } from '../sessions/commands.ts'
import { SHELL_COMMANDS } from '../shell/commands.ts'
import { SOURCE_COMMANDS } from '../source/commands.ts'
import { STORE_COMMANDS } from '../store/commands.ts'
import { USAGE_COMMANDS } from '../usage/commands.ts'
import { WATCH_COMMANDS } from '../watch/commands.ts'
import { WORKTREE_COMMANDS } from '../worktrees/commands.ts'

export const COMMANDS: readonly Command[] = [
  ...PROMPT_COMMANDS,
  ...CHAT_COMMANDS,
  ...BATCH_COMMANDS,
  ...EXECUTION_COMMANDS,
  ...USAGE_COMMANDS,
  ...SESSION_COMMANDS,
  ...BACKEND_COMMANDS,
  ...SERVER_COMMANDS,
  ...ACP_COMMANDS,
  ...KEY_COMMANDS,
  ...NOTIFY_COMMANDS,
  ...STORE_COMMANDS,
  ...LOCAL_COMMANDS,
  ...MCP_COMMANDS,
  ...DRIVE_COMMANDS,
  ...ACT_COMMANDS,
  ...WATCH_COMMANDS,
  ...PROJECT_COMMANDS,
  ...RUN_COMMANDS,
  ...HOST_COMMANDS,
  ...DOCTOR_COMMANDS,
  ...CONFIG_COMMANDS,
  ...WORKTREE_COMMANDS,
  ...SANDBOX_COMMANDS,
  ...RESET_COMMANDS,
  ...SHELL_COMMANDS,
  ...PROTOCOL_COMMANDS,
  ...SOURCE_COMMANDS,
]
