// Prints what a program sees of a module in the shape of node:sqlite.
//
//   node shape.js node:sqlite
const module = await import(process.argv[2]);

const names = (keys) => keys.map(String).sort();

/** The methods of a class, and what else its instances have. */
function shapeOf({ prototype }, instance) {
  const descriptors = Object.getOwnPropertyDescriptors(prototype);
  const isMethod = (key) => typeof descriptors[key].value === 'function';
  const keys = Reflect.ownKeys(descriptors);
  return {
    methods: names(keys.filter(isMethod)),
    // In Node they are the instance's own, here the prototype's.
    properties: instance && names([...Reflect.ownKeys(instance), ...keys.filter((key) => !isMethod(key))]),
  };
}

const db = new module.DatabaseSync(':memory:');
const statement = db.prepare('SELECT 1');

console.log(
  JSON.stringify({
    types: Object.fromEntries(Object.entries(module).map(([name, value]) => [name, typeof value])),
    default: names(Object.keys(module.default).filter((name) => module.default[name] === module[name])),
    sameClasses: [module.Database === module.DatabaseSync, module.Statement === module.StatementSync],
    DatabaseSync: shapeOf(module.DatabaseSync, db),
    StatementSync: shapeOf(module.StatementSync, statement),
    Session: shapeOf(module.Session),
    constants: Object.getOwnPropertyDescriptors(module.constants),
  }),
);
