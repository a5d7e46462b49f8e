import type { Page } from '../../operations/list.ts'
import { showRecord } from '../../operations/show-record.ts'
import type { Listed } from '../../resources/define-resource.ts'

/** A page as the plain list answers it; a live listing's events carry the same. */
export const showPage = (listed: Listed, { rows, totalCount, pageNumber, pageSize, totalPages }: Page) => ({
  result: {
    data: rows.map((row) => showRecord(listed, row)),
    totalCount,
    pageNumber,
    pageSize,
    totalPages,
  },
})
