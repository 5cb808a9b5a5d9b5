/** How one check ended, with its output. */
import { Icon } from '../parts/icon.tsx'
import { Code } from '../parts/text-view.tsx'
import { formatDuration } from '../text/format.ts'
import { toLine, toVisible } from '../text/visible-text.ts'
import type { ShownCheck } from './timeline.ts'

export function CheckView({ check, isOpen = false }: { check: ShownCheck; isOpen?: boolean }) {
  const { command, passed, exit_code: code, problem, duration_ms: duration, output, tests } = check
  const result = passed ? 'passed' : code === undefined ? (problem ?? 'failed') : `exit code ${code}`
  return (
    <details class={`tool tool-${passed ? 'done' : 'failed'}`} open={isOpen}>
      <summary>
        <Icon name="terminal" />
        <code>{toLine(command)}</code>
        <span class="outcome">
          {toLine(result)} · {formatDuration(duration)}
        </span>
      </summary>
      {(tests?.changes ?? []).map(({ change, text, is_setback: isSetback }) => (
        <p key={change} class={isSetback ? 'warning' : 'dim'}>
          {toVisible(text)}
        </p>
      ))}
      <Code text={output === '' ? '(no output)' : output} />
    </details>
  )
}
