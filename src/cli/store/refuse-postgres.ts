import { quoteWord } from '../../kit/shell-words.ts'
import { backupByPostgres } from '../../store/faults.ts'

const SQLITE = 'sqlite:'

/** Throws the command of PostgreSQL that does it, without the password. */
export function refusePostgres(
  url: string,
  { program, file }: { program: 'pg_dump' | 'pg_restore'; file: string },
): void {
  if (url === SQLITE) return
  const address = new URL(url)
  address.password = ''
  address.searchParams.delete('password')
  const command =
    program === 'pg_dump'
      ? `pg_dump --format=custom --file=${quoteWord(file)} ${quoteWord(address.href)}`
      : `pg_restore --clean --if-exists --single-transaction --dbname=${quoteWord(address.href)} ${quoteWord(file)}`
  throw backupByPostgres({ command })
}
