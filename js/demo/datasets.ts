// The sample database: four tables of public US government data, as the npm package `vega-datasets` ships them.
// Nothing in this file knows where it runs, so the page and the Node demo build the same database.

import { csvParseRows } from 'd3-dsv';

export type Value = null | number | string;

export interface SampleTable {
  name: string;
  /** The file in vega-datasets/data that holds the rows. */
  file: string;
  create: string;
  rows(text: string): Value[][];
}

/** As much of a database as loading needs. */
interface Target {
  exec(sql: string): void;
  prepare(sql: string): { run(...values: Value[]): unknown };
}

// `csvParseRows` and not `csvParse`: the latter builds its row objects with `new Function`, which the page's content
// security policy forbids.
const csvRows = (text: string): string[][] => csvParseRows(text).slice(1);
const unlessNA = (text: string | undefined): Value => (text === 'NA' || text === undefined ? null : text);

interface Flight {
  date: string;
  delay: number;
  distance: number;
  origin: string;
  destination: string;
}

interface Earthquake {
  id: string;
  properties: { mag: number; place: string; time: number; felt: number | null; type: string };
  geometry: { coordinates: [longitude: number, latitude: number, depth: number] };
}

export const tables: readonly SampleTable[] = [
  {
    name: 'airports',
    file: 'airports.csv',
    create: `CREATE TABLE airports (
  iata      TEXT PRIMARY KEY,
  name      TEXT NOT NULL,
  city      TEXT,
  state     TEXT,
  latitude  REAL NOT NULL,
  longitude REAL NOT NULL
)`,
    rows: (text) =>
      csvRows(text).map(([iata, name, city, state, , latitude, longitude]) => [
        unlessNA(iata),
        unlessNA(name),
        unlessNA(city),
        unlessNA(state),
        Number(latitude),
        Number(longitude),
      ]),
  },
  {
    name: 'flights',
    file: 'flights-20k.json',
    create: `CREATE TABLE flights (
  id          INTEGER PRIMARY KEY,
  departure   TEXT NOT NULL,
  origin      TEXT NOT NULL REFERENCES airports,
  destination TEXT NOT NULL REFERENCES airports,
  miles       INTEGER NOT NULL,
  delay       INTEGER NOT NULL -- minutes
)`,
    rows: (text) =>
      (JSON.parse(text) as Flight[]).map((flight, index) => [
        index + 1,
        // SQLite's date functions read 2001-01-31 but not 2001/01/31.
        flight.date.replaceAll('/', '-'),
        flight.origin,
        flight.destination,
        flight.distance,
        flight.delay,
      ]),
  },
  {
    name: 'earthquakes',
    file: 'earthquakes.json',
    create: `CREATE TABLE earthquakes (
  id        TEXT PRIMARY KEY,
  time      TEXT NOT NULL,
  magnitude REAL NOT NULL,
  place     TEXT NOT NULL,
  kind      TEXT NOT NULL,
  depth     REAL NOT NULL, -- kilometres
  latitude  REAL NOT NULL,
  longitude REAL NOT NULL,
  felt      INTEGER        -- reports from people
)`,
    rows: (text) =>
      (JSON.parse(text) as { features: Earthquake[] }).features.map(({ id, properties, geometry }) => {
        const [longitude, latitude, depth] = geometry.coordinates;
        const time = new Date(properties.time).toISOString().slice(0, 19).replace('T', ' ');
        return [
          id,
          time,
          properties.mag,
          properties.place,
          properties.type,
          depth,
          latitude,
          longitude,
          properties.felt,
        ];
      }),
  },
  {
    name: 'weather',
    file: 'seattle-weather.csv',
    create: `CREATE TABLE weather (
  date     TEXT PRIMARY KEY,
  kind     TEXT NOT NULL,
  rain     REAL NOT NULL, -- millimetres
  high     REAL NOT NULL, -- degrees Celsius
  low      REAL NOT NULL,
  wind     REAL NOT NULL
)`,
    rows: (text) =>
      csvRows(text).map(([date, rain, high, low, wind, kind]) => [
        unlessNA(date),
        unlessNA(kind),
        Number(rain),
        Number(high),
        Number(low),
        Number(wind),
      ]),
  },
];

/** Creates and fills every table in one transaction. `text` answers with the content of a table's file. */
export function fill(db: Target, text: (table: SampleTable) => string): void {
  db.exec('BEGIN');
  for (const table of tables) {
    db.exec(table.create);
    const rows = table.rows(text(table));
    const places = rows[0]?.map(() => '?').join(', ') ?? '';
    const insert = db.prepare(`INSERT INTO ${table.name} VALUES (${places})`);
    for (const row of rows) insert.run(...row);
  }
  db.exec('CREATE INDEX flights_by_origin ON flights (origin)');
  db.exec('COMMIT');
}

export interface Example {
  title: string;
  sql: string;
}

export const examples: readonly Example[] = [
  {
    title: 'Late departures',
    sql: `-- Where did departures run late most?
SELECT
  origin, city, state,
  count(*) AS flights,
  round(avg(delay), 1) AS "average delay",
  max(delay) AS worst
FROM flights
JOIN airports ON iata = origin
GROUP BY origin
HAVING flights >= 100
ORDER BY "average delay" DESC`,
  },
  {
    title: 'Nearest quakes',
    sql: `-- The airport closest to each of the strongest earthquakes of a week, by the haversine formula
WITH strongest AS (
  SELECT * FROM earthquakes WHERE kind = 'earthquake' ORDER BY magnitude DESC LIMIT 25
), pairs AS (
  SELECT q.magnitude, q.place, q.felt, a.iata, a.name,
    12742 * asin(sqrt(
      pow(sin(radians(a.latitude - q.latitude) / 2), 2) +
      cos(radians(q.latitude)) * cos(radians(a.latitude)) *
      pow(sin(radians(a.longitude - q.longitude) / 2), 2)
    )) AS km
  FROM strongest AS q, airports AS a
)
SELECT magnitude, place, felt AS "felt by", iata, name AS airport, round(min(km)) AS km
FROM pairs
GROUP BY place, magnitude
ORDER BY magnitude DESC`,
  },
  {
    title: 'Rain by month',
    sql: `-- Seattle's rain, and how each month compares with the one before
WITH months AS (
  SELECT strftime('%Y-%m', date) AS month,
    sum(rain) AS mm, sum(rain > 0) AS wet
  FROM weather GROUP BY month
)
SELECT
  month,
  round(mm, 1) AS "rain mm",
  round(mm - lag(mm) OVER (ORDER BY month), 1) AS change,
  wet AS "wet days",
  replace(hex(zeroblob(mm / 10)), '00', '▪') AS bar
FROM months`,
  },
  {
    title: 'All flights',
    sql: 'SELECT * FROM flights ORDER BY departure',
  },
  {
    title: 'Query plan',
    sql: `EXPLAIN QUERY PLAN
SELECT city, count(*)
FROM airports JOIN flights ON origin = iata
WHERE state = 'WA'
GROUP BY city`,
  },
  {
    title: 'A transaction',
    sql: `-- Several statements in one transaction; watch the store's writes
BEGIN;
CREATE TABLE IF NOT EXISTS late (
  flight INTEGER PRIMARY KEY REFERENCES flights,
  minutes INTEGER
);
INSERT OR REPLACE INTO late SELECT id, delay FROM flights WHERE delay > 120;
COMMIT;
SELECT count(*) AS "late flights", sum(minutes) / 60 AS "hours lost" FROM late`,
  },
  {
    title: 'Kinds of value',
    sql: `SELECT
  NULL AS "null",
  9007199254740993 AS "integer",
  1.0 AS "real",
  0.1 + 0.2 AS "rounded real",
  'Grüße aus Köln' AS "text",
  '' AS "empty text",
  x'53514c697465' AS "blob",
  randomblob(2000) AS "long blob"`,
  },
];
