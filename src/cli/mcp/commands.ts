/** Definition of `mcp`. */
import type { Command } from '../command.ts'
import { DEMO } from '../words/shared-flags.ts'

export const MCP_COMMANDS: readonly Command[] = [
  {
    words: ['mcp'],
    group: 'Server',
    summary: 'Offer drover as tools to an MCP client, on stdin and stdout',
    description: `MCP clients (Claude Code, Codex, Gemini CLI, Cursor, VS Code …) start this command and call its tools, which send prompts,
compare agents, resume sessions, follow executions and start runs. The working directory is the one in which the client starts
it. A call that takes longer than server.mcp_wait_secs returns a handle for execution_get.
If a server of yours is running (drover up, drover serve), the work is done there and keeps running when the client exits. Otherwise
it is done in this process and stops with it. A server offers the same tools at /mcp.
Only the protocol is printed to stdout. The command ends when its input ends.`,
    positionals: [],
    flags: [{ name: 'direct', description: 'Do the work in this process, even if a server of yours is running' }, DEMO],
    examples: [
      { line: 'claude mcp add drover -- drover mcp', description: 'add it to Claude Code' },
      { line: 'codex mcp add drover -- drover mcp', description: 'add it to Codex' },
      { line: 'gemini mcp add drover drover mcp', description: 'add it to Gemini CLI' },
    ],
    load: () => import('./mcp-command.ts'),
  },
]
