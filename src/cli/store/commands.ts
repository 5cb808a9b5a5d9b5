import { commandsIn, flag } from '../command.ts'
import { JSON_FLAG } from '../words/shared-flags.ts'

export const STORE_COMMANDS = [
  ...commandsIn({ group: 'Server' }, [
    {
      words: ['store', 'migrate'],
      summary: 'Create or update the tables of a PostgreSQL store',
      description: `Creates the tables in the database of store.url, or adds what this version needs. Run it before you start the new version:
the version before works with the new tables too. Servers, workers and other commands never change tables, except a server with
store.migrate. The role needs the right to create them; all others need only to read and write rows.`,
      flags: [JSON_FLAG],
      examples: {
        'DROVER_STORE_URL=postgres://drover_owner@db.example.com/drover drover store migrate':
          'the password comes from PGPASSWORD or ~/.pgpass',
      },
      load: async () => ({ run: (await import('./store-command.ts')).migrate }),
    },
    {
      words: ['store', 'copy'],
      summary: 'Copy your sessions and executions into a PostgreSQL database',
      description: `Copies everything from the SQLite file into an empty PostgreSQL store, in one transaction. The file is not changed. Its tables come from
"drover store migrate", and the address has the same role as there: only the owner of the tables may copy into them.
Stop the server first. Then set store.url, or DROVER_STORE_URL, to the same address on every machine.
The sessions stay on this machine, because it has their agents' files.`,
      positionals: [
        { name: 'from', description: 'sqlite: is your own file' },
        { name: 'to', description: 'postgres://USER@HOST:PORT/DATABASE' },
      ],
      flags: [JSON_FLAG],
      examples: {
        'drover store copy sqlite: postgres://drover_owner@db.example.com/drover':
          'the password comes from PGPASSWORD, ~/.pgpass, or DROVER_STORE_URL if that is the same address',
      },
      load: async () => ({ run: (await import('./store-command.ts')).copy }),
    },
  ]),
  ...commandsIn({ group: 'Other' }, [
    {
      words: ['backup'],
      summary: 'Write your sessions and settings into one file',
      description: `The file contains sessions, executions with their events, usage, and the config.yaml in drover's directory (not one that
--config or DROVER_CONFIG names). The command works while a server is running. It writes the file under another name, checks
it, and then renames it. Only you can read the file.
The file does not contain conversations, which agents keep in their own directories, or runs, which are in each repository's
git directory. Nor does it contain worktrees, branches, trusted project settings, console logins or lines typed in chats.`,
      positionals: [{ name: 'file', description: 'The file to write' }],
      flags: [flag('--force', 'Replace the file if it exists'), JSON_FLAG],
      examples: {
        'drover backup drover.backup': 'into the working directory',
        'drover backup /mnt/backups/drover --force --json': 'for a timer',
      },
      load: async () => ({ run: (await import('./store-command.ts')).backup }),
    },
    {
      words: ['restore'],
      summary: 'Replace your sessions and settings with those from a backup',
      description: `Checks the file first. No server and no other drover process may use drover's directory during the restore. The old files are kept in
a new directory beside them, whose path is printed. If the command is killed, run it again. You then have either all the old sessions
and settings or all the new ones.
Restore only files that you wrote yourself, because settings name the programs that drover starts.`,
      positionals: [{ name: 'file', description: 'A file that drover backup wrote' }],
      flags: [JSON_FLAG],
      examples: {
        'drover restore drover.backup': 'after "drover down"',
      },
      load: async () => ({ run: (await import('./store-command.ts')).restore }),
    },
  ]),
]
