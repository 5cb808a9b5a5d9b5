/** An MCP server for one connection or one request, with the tools of drover. */
import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from '@modelcontextprotocol/server'
import { callTool, type ToolHost } from './call-tool.ts'
import { TOOLS } from './tools.generated.js'
import type { Report } from './watch-execution.ts'

const INSTRUCTIONS = `drover runs command-line coding agents on this machine. "prompt" sends one a prompt, "compare" asks several the same.
A call that takes long answers with an execution_id; "execution_get" waits for the answer. "session_resume" resumes a session.
"run_start" lets agents carry out a whole change in a git repository; "run_status" and "run_answer" follow it.`

/** `onCall` learns of every call, which may outlast its connection. */
export function createMcpServer(host: ToolHost, onCall: (call: Promise<unknown>) => void = () => {}): Server {
  const server = new Server(
    { name: 'drover', title: 'drover', version: host.version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  )
  server.setRequestHandler('tools/list', () => ({ tools: [...TOOLS] }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { name, arguments: given = {} } = params
    const { signal } = context.mcpReq
    const called = callTool(name, { host, given, signal, report: reportTo(context) })
    onCall(called)
    const result = await called
    if (result === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no tool ${name}; list the tools`)
    return result
  })
  return server
}

/** Progress counts the seconds, because nothing else is known to increase. Only for clients that ask for it. */
function reportTo({ mcpReq }: ServerContext): Report {
  const token = mcpReq._meta?.progressToken
  if (token === undefined) return () => {}
  const startedAt = performance.now()
  let last = 0
  return (message) => {
    last = Math.max(last + 0.001, (performance.now() - startedAt) / 1000)
    const params = { progressToken: token, progress: last, message }
    // The client may be gone.
    void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }
}
