import type { Socket } from 'node:net'
import type pg from 'pg'

/** The driver does not declare it. */
export const streamOf = (client: pg.ClientBase): Socket =>
  (client as pg.ClientBase & { readonly connection: { readonly stream: Socket } }).connection.stream

/** Fails what was sent on it. An end in order would wait for the answers. */
export const cut = (client: pg.ClientBase): void => void streamOf(client).destroy()
