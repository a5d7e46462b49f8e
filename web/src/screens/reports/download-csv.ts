import type { Send } from '../../api/send.ts'

/** Fetched with the token, which a plain link would not carry, and then saved like any download. */
export async function downloadCsv(
  send: Send,
  path: string,
  { fileName, headOf }: { readonly fileName: string; headOf(column: string): string },
): Promise<void> {
  const response = await send({ path, headers: { accept: 'text/csv' } })
  const address = URL.createObjectURL(await withHeads(await response.blob(), headOf))
  const link = document.createElement('a')
  link.href = address
  link.download = fileName
  link.click()
  URL.revokeObjectURL(address)
}

/** More than the names of the columns take; the rows behind them are not read, however many there are. */
const headBytesMax = 4096

/**
 * Programs rely on the names that the interface gives columns; people read them as the page calls them. The mark at the
 * beginning tells spreadsheets that it is UTF-8.
 */
export async function withHeads(table: Blob, headOf: (column: string) => string): Promise<Blob> {
  const [names = ''] = (await table.slice(0, headBytesMax).text()).split('\r\n', 1)
  const heads = names.split(',').map((name) => `"${headOf(name).replaceAll('"', '""')}"`)
  return new Blob(['\uFEFF', heads.join(','), table.slice(names.length)], { type: 'text/csv' })
}
