import type { Table } from '../store/rows.ts'

/** What people see of their own account. */
export const accountTable: Table = {
  name: 'user',
  table: 'users',
  columns: ['id', 'name', 'login', 'createdAt', 'updatedAt'],
}
