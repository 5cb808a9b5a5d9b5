import { commandsIn, flag } from '../command.ts'
import { DEMO } from '../words/shared-flags.ts'

export const MCP_COMMANDS = commandsIn({ group: 'Server' }, [
  {
    words: ['mcp'],
    summary: 'Offer drover as tools to an MCP client, on stdin and stdout',
    description: `MCP clients (Claude Code, Codex, Gemini CLI, Cursor, VS Code …) start this command and call its tools, which send prompts,
compare agents, resume sessions, follow executions and start runs. The working directory is the one in which the client starts
the command. A call that takes longer than server.mcp_wait_secs returns a handle, which the client passes to execution_get.
If your server is running (drover up, drover serve), it does the work and continues when the client exits. Otherwise
this process does the work, which stops when the process exits. A server offers the same tools at /mcp.
Only protocol messages are printed to stdout. The command exits when its input ends.`,
    flags: [flag('--direct', 'Do the work in this process, even if your server is running'), DEMO],
    examples: {
      'claude mcp add drover -- drover mcp': 'add it to Claude Code',
      'codex mcp add drover -- drover mcp': 'add it to Codex',
      'gemini mcp add drover drover mcp': 'add it to Gemini CLI',
    },
    load: () => import('./mcp-command.ts'),
  },
])
