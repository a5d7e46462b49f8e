import { join } from 'node:path'

export const programIn = (directory: string, name: string) =>
  join(directory, process.platform === 'win32' ? `${name}.exe` : name)
