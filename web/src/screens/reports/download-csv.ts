import type { Send } from '../../api/send.ts'

export interface Download {
  readonly path: string
  readonly fileName: string
  /** What is made of the interface's table. */
  written(table: string): string
}

/** Fetched with the token, which a plain link would not carry, and then saved like any download. */
export async function downloadCsv(send: Send, { path, fileName, written }: Download): Promise<void> {
  const response = await send({ path, headers: { accept: 'text/csv' } })
  const table = new Blob([written(await response.text())], { type: 'text/csv' })
  const address = URL.createObjectURL(table)
  const link = document.createElement('a')
  link.href = address
  link.download = fileName
  link.click()
  URL.revokeObjectURL(address)
}
