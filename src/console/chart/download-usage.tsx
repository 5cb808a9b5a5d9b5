import { attempt, saveFile } from '../live/actions.ts'
import { send } from '../live/api.ts'

/** By day and agent too: a spreadsheet adds up, and agents count tokens differently. */
export function DownloadUsage({ since, field }: { since: string; field: string }) {
  const groups = [...new Set(['day', field, 'backend'])].join()
  const download = async () => {
    const response = await send(`usage?since=${since}&group_by=${groups}&format=csv`)
    saveFile(await response.blob(), `usage-by-${field}-since-${since}.csv`)
  }
  return (
    <button type="button" onClick={() => void attempt(download)}>
      Download CSV
    </button>
  )
}
