import type { Send } from '../../api/send.ts'

/** Fetched with the token, which a plain link would not carry, and then saved like any download. */
export async function downloadCsv(send: Send, path: string, fileName: string): Promise<void> {
  const response = await send({ path, headers: { accept: 'text/csv' } })
  const address = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = address
  link.download = fileName
  link.click()
  URL.revokeObjectURL(address)
}
