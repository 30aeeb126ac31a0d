// Fetches the sample data in the page. The files are assets of the build, so they are served from wherever it lies.

import airports from 'vega-datasets/data/airports.csv?url';
import earthquakes from 'vega-datasets/data/earthquakes.json?url';
import flights from 'vega-datasets/data/flights-20k.json?url';
import weather from 'vega-datasets/data/seattle-weather.csv?url';

const addresses: Record<string, string> = { airports, earthquakes, flights, weather };

/** The text of each sample table's file, by the table's name. */
export async function fetchSampleData(): Promise<Map<string, string>> {
  const texts = Object.entries(addresses).map(async ([name, address]): Promise<[string, string]> => {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`The sample data for ${name} did not load: ${response.status}`);
    return [name, await response.text()];
  });
  return new Map(await Promise.all(texts));
}
