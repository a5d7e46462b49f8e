import type { Page } from '../../operations/list.ts'

/** A page as JSON, as the plain list answers it; a live listing's events carry the same. */
export const showPage = ({ records, totalCount, pageNumber, pageSize, totalPages }: Page): string =>
  `{"result":{"data":${records},${JSON.stringify({ totalCount, pageNumber, pageSize, totalPages }).slice(1)}}`
