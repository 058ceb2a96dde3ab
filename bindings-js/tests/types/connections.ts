// Applications' database connections are accepted as typed, and nothing else.
import mysql from 'mysql2'
import promised from 'mysql2/promise'
import pg from 'pg'
import { Segment } from 'leafid'
import { sqlStore, type SqlStoreOptions } from 'leafid/node'
import { ConformError, conform, type Conformed } from 'leafid/testing'

const options: SqlStoreOptions = { create: { tags: { orders: { step: 100, from: 2n ** 53n } }, namespaces: { shop: { layout: 'edge' } } } }
const leaf: SqlStoreOptions = { tags: 'leaf_alloc', allowUnsafeSettings: true }
const pool = new pg.Pool()
/** As in `node:sqlite` and `better-sqlite3`. */
declare const database: { prepare(text: string): { all(...params: unknown[]): unknown[] }; exec(text: string): void }
const plain = mysql.createPool('mysql://h/d')

export const stores = [
  sqlStore(pool, options),
  sqlStore(new pg.Client()),
  sqlStore(await pool.connect()),
  sqlStore(plain, leaf),
  sqlStore(plain.promise()),
  sqlStore(mysql.createConnection('mysql://h/d')),
  sqlStore(await promised.createConnection('mysql://h/d')),
  sqlStore(promised.createPool('mysql://h/d')),
  sqlStore(database),
  sqlStore('postgres://h/d', { create: true }),
]

export const orders = new Segment('orders', { store: sqlStore(pool) })

export async function looks(): Promise<Conformed> {
  try {
    return await conform(stores[0]!, { tag: 'orders', setClock: (ms: number) => console.log(ms) })
  } catch (error) {
    if (error instanceof ConformError) console.log(Object.keys(error.failed))
    throw error
  }
}

// @ts-expect-error no connection
sqlStore(5)
// @ts-expect-error no such option
sqlStore(pool, { creat: true })
// @ts-expect-error no such table
sqlStore(pool, { tags: 'orders' })
