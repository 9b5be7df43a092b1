//! Imports inside a crate point one way: from a layer to the layers before it, and never in a circle.
//!
//! The layers are those of the table in docs/architecture.md, section "Layers". A row has the layers of a whole crate, or of the
//! modules inside of one: `kibitzer-cli::console`. A file may import from its own layer and from earlier ones. A path is followed
//! through re-exports to the file that defines the item, so a `pub use` hides nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree, Visibility};

/// A module of a crate, by its path below the crate's root.
type ModulePath = Vec<String>;

/// A module: its file, its children, and the names it imports or re-exports.
#[derive(Debug, Default)]
struct Module {
    file: PathBuf,
    /// Names brought into the module by `use`, with the path they stand for.
    imports: BTreeMap<String, Vec<String>>,
    /// Paths imported with `*`.
    globs: Vec<Vec<String>>,
    /// Names that the module defines itself.
    definitions: BTreeSet<String>,
    /// Whether a macro may define more names.
    has_macros: bool,
    /// Paths that begin with `crate`, `self` or `super`, and those of `use` items; whether the item is re-exported.
    references: Vec<(Vec<String>, bool)>,
}

/// The modules of one crate.
struct Crate {
    name: String,
    modules: BTreeMap<ModulePath, Module>,
}

/// One file using an item of another: by module path.
type Arrow = (ModulePath, ModulePath);

#[test]
fn imports_point_to_earlier_layers_and_never_in_a_circle() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut tables = layer_tables(&fs::read_to_string(root.join("docs/architecture.md")).unwrap());
    let mut faults = Vec::new();
    for name in crate_names(root) {
        let read = Crate::read(&name, &root.join("crates").join(&name).join("src"));
        assert!(read.modules.len() > 3, "{name}: only {} modules were found", read.modules.len());
        let arrows = read.arrows();
        let (rows, others) = tables.into_iter().partition(|table| table.crate_name == name);
        tables = others;
        faults.extend(
            rows.iter().all(|row: &LayerTable| !row.parent.is_empty()).then(|| format!("{name} has no row of layers")),
        );
        faults.extend(rows.iter().flat_map(|row| [read.missing_layers(row), read.upward(row, &arrows)].concat()));
        faults.extend(read.circles(&arrows));
    }
    faults.extend(tables.iter().map(|table| format!("layers of an unknown crate: {}", table.crate_name)));
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// The crates of the workspace, without its tests.
fn crate_names(root: &Path) -> Vec<String> {
    let folders = fs::read_dir(root.join("crates")).unwrap();
    let mut names: Vec<String> = folders.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A row of the table: the layer of each module below `parent`, counted from the lowest.
struct LayerTable {
    crate_name: String,
    /// Empty for the layers of the crate itself.
    parent: ModulePath,
    layers: BTreeMap<String, usize>,
}

/// Reads the rows "| `crate::module` | `a`, `b` < `c` |" of the section "Layers".
fn layer_tables(document: &str) -> Vec<LayerTable> {
    let section = document.split("\n## Layers\n").nth(1).expect("docs/architecture.md has a section Layers");
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |")?.split_once("` | "));
    rows.map(|(path, row)| {
        let mut names = path.split("::").map(str::to_owned);
        let crate_name = names.next().unwrap();
        let layers = row.split(" < ").enumerate();
        let layers = layers.flat_map(|(layer, modules)| modules.split(", ").map(move |module| (module, layer)));
        let layers = layers.map(|(module, layer)| (module.trim_matches('`').to_owned(), layer)).collect();
        LayerTable { crate_name, parent: names.collect(), layers }
    })
    .collect()
}

impl LayerTable {
    /// The part of a path that the row is about: the module directly below its parent.
    fn module<'a>(&self, path: &'a ModulePath) -> Option<&'a String> {
        path.strip_prefix(self.parent.as_slice())?.first()
    }

    fn layer(&self, path: &ModulePath) -> Option<usize> {
        self.layers.get(self.module(path)?).copied()
    }
}

impl Crate {
    fn read(name: &str, source: &Path) -> Self {
        let mut read = Self { name: name.to_owned(), modules: BTreeMap::new() };
        for root in ["lib.rs", "main.rs"] {
            let file = source.join(root);
            if file.exists() {
                let parsed = syn::parse_file(&fs::read_to_string(&file).unwrap()).unwrap();
                read.add(Vec::new(), &file, source, &parsed.items);
            }
        }
        read
    }

    /// Adds a module and, from `folder`, its children.
    fn add(&mut self, path: ModulePath, file: &Path, folder: &Path, items: &[Item]) {
        let mut module = Module { file: file.to_owned(), ..Module::default() };
        for item in items.iter().filter(|item| !is_for_tests(attributes(item))) {
            module.record(item);
            let Item::Mod(child) = item else { continue };
            let name = child.ident.to_string();
            let child_path = [&path[..], std::slice::from_ref(&name)].concat();
            if let Some((_, items)) = &child.content {
                self.add(child_path, file, &folder.join(&name), items);
                continue;
            }
            let candidates = [folder.join(format!("{name}.rs")), folder.join(&name).join("mod.rs")];
            let child_file = candidates.into_iter().find(|file| file.exists());
            let child_file = child_file.unwrap_or_else(|| panic!("no file for module {child_path:?}"));
            let parsed = syn::parse_file(&fs::read_to_string(&child_file).unwrap()).unwrap();
            self.add(child_path, &child_file, &folder.join(&name), &parsed.items);
        }
        self.modules.insert(path, module);
    }

    /// Which file uses which other file. A module that only re-exports an item of a module inside of it does not use it.
    fn arrows(&self) -> BTreeSet<Arrow> {
        let mut arrows = BTreeSet::new();
        for (path, module) in &self.modules {
            for (reference, is_reexport) in &module.references {
                let Some(target) = self.resolve(path, reference, 0) else { continue };
                if self.modules[&target].file != module.file && !(*is_reexport && target.starts_with(path)) {
                    arrows.insert((path.clone(), target));
                }
            }
        }
        arrows
    }

    /// The module that defines the item a path names; `None` if it is not of this crate.
    fn resolve(&self, from: &ModulePath, reference: &[String], depth: usize) -> Option<ModulePath> {
        // Globs may import each other.
        if depth > 12 {
            return None;
        }
        let (mut at, mut rest) = match reference.split_first()? {
            (first, rest) if first == "crate" => (Vec::new(), rest),
            (first, rest) if first == "self" => (from.clone(), rest),
            (first, _) if first == "super" => (from.clone(), reference),
            _ => (from.clone(), reference),
        };
        while let Some((_, after)) = rest.split_first().filter(|(first, _)| *first == "super") {
            at.pop()?;
            rest = after;
        }
        loop {
            let Some((name, after)) = rest.split_first() else { return Some(at) };
            let child = [&at[..], std::slice::from_ref(name)].concat();
            if self.modules.contains_key(&child) {
                (at, rest) = (child, after);
                continue;
            }
            let module = &self.modules[&at];
            if module.definitions.contains(name) {
                return Some(at);
            }
            if let Some(import) = module.imports.get(name).filter(|import| import.as_slice() != reference) {
                return self.resolve(&at, &[import, after].concat(), depth + 1);
            }
            let from_glob = module.globs.iter().find_map(|glob| {
                let path = [glob, rest].concat();
                self.resolve(&at, &path, depth + 1).filter(|target| self.modules[target].definitions.contains(name))
            });
            // A macro has defined the name where the path led to; a path that led nowhere is of another crate.
            return from_glob.or_else(|| (&at != from && module.has_macros).then_some(at));
        }
    }

    /// Modules that are in no layer, and layers without a module.
    fn missing_layers(&self, row: &LayerTable) -> Vec<String> {
        let modules: BTreeSet<&String> = self.modules.keys().filter_map(|path| row.module(path)).collect();
        let unlisted = modules.iter().filter(|name| !row.layers.contains_key(**name));
        let unlisted = unlisted.map(|name| format!("{}: module {name} is in no layer", self.name));
        let absent = row.layers.keys().filter(|name| !modules.contains(name));
        unlisted.chain(absent.map(|name| format!("{}: no module {name} for its layer", self.name))).collect()
    }

    /// Arrows from a layer to a later one.
    fn upward(&self, row: &LayerTable, arrows: &BTreeSet<Arrow>) -> Vec<String> {
        let is_upward = |(from, to): &&Arrow| row.layer(from).zip(row.layer(to)).is_some_and(|(from, to)| from < to);
        let arrows = arrows.iter().filter(is_upward);
        arrows.map(|(from, to)| format!("{}: {} -> {} points up", self.name, from.join("::"), to.join("::"))).collect()
    }

    /// Groups of files that import each other in a circle, leaving out the arrows between a module and its own parent.
    fn circles(&self, arrows: &BTreeSet<Arrow>) -> Vec<String> {
        let mut next: BTreeMap<&Path, BTreeSet<&Path>> = BTreeMap::new();
        for (from, to) in arrows.iter().filter(|(from, to)| !is_parent(from, to) && !is_parent(to, from)) {
            next.entry(&self.modules[from].file).or_default().insert(&self.modules[to].file);
        }
        let reachable = |start: &Path| {
            let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
            let mut open = vec![start.to_owned()];
            while let Some(file) = open.pop() {
                let targets = next.get(file.as_path()).into_iter().flatten();
                open.extend(
                    targets.filter(|target| seen.insert((**target).to_owned())).map(|target| (**target).to_owned()),
                );
            }
            seen
        };
        let reached: BTreeMap<&Path, BTreeSet<PathBuf>> = next.keys().map(|file| (*file, reachable(file))).collect();
        let in_circle = |file: &Path| reached[file].contains(file);
        let mut groups: BTreeSet<Vec<&Path>> = BTreeSet::new();
        for &file in next.keys().filter(|file| in_circle(file)) {
            let together = |other: &&Path| reached[file].contains(*other) && reached[other].contains(file);
            groups.insert(next.keys().copied().filter(together).collect());
        }
        let name = |file: &&Path| file.file_name().unwrap().to_string_lossy().into_owned();
        let shown = |file: &&Path| format!("{}/{}", name(&file.parent().unwrap()), name(file));
        groups
            .iter()
            .map(|group| format!("{}: circle of {}", self.name, group.iter().map(shown).collect::<Vec<_>>().join(", ")))
            .collect()
    }
}

fn is_parent(parent: &ModulePath, child: &ModulePath) -> bool {
    child.len() == parent.len() + 1 && child.starts_with(parent)
}

impl Module {
    fn record(&mut self, item: &Item) {
        match item {
            Item::Use(item) => self.record_use(&item.tree, Vec::new(), &item.vis),
            Item::Const(item) => self.define(&item.ident),
            Item::Enum(item) => self.define(&item.ident),
            Item::Fn(item) => self.define(&item.sig.ident),
            Item::Static(item) => self.define(&item.ident),
            Item::Struct(item) => self.define(&item.ident),
            Item::Trait(item) => self.define(&item.ident),
            Item::Type(item) => self.define(&item.ident),
            Item::Macro(item) => {
                self.has_macros |= item.ident.is_none();
                item.ident.iter().for_each(|ident| self.define(ident));
            }
            _ => {}
        }
        References(&mut self.references).visit_item(item);
    }

    fn define(&mut self, name: &syn::Ident) {
        self.definitions.insert(name.to_string());
    }

    fn record_use(&mut self, tree: &UseTree, prefix: Vec<String>, visibility: &Visibility) {
        match tree {
            UseTree::Path(path) => {
                self.record_use(&path.tree, [prefix, vec![path.ident.to_string()]].concat(), visibility);
            }
            UseTree::Group(group) => {
                group.items.iter().for_each(|item| self.record_use(item, prefix.clone(), visibility));
            }
            UseTree::Name(name) => {
                self.import(name.ident.to_string(), [prefix, vec![name.ident.to_string()]].concat(), visibility);
            }
            UseTree::Rename(rename) => {
                self.import(rename.rename.to_string(), [prefix, vec![rename.ident.to_string()]].concat(), visibility);
            }
            UseTree::Glob(_) => self.globs.push(prefix),
        }
    }

    fn import(&mut self, name: String, mut path: Vec<String>, visibility: &Visibility) {
        if path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let name = if name == "self" { path.last().cloned().unwrap_or_default() } else { name };
        self.references.push((path.clone(), !matches!(visibility, Visibility::Inherited)));
        self.imports.insert(name, path);
    }
}

/// Collects the paths in an item that begin with `crate`, `self` or `super`; leaves out what is for tests only.
struct References<'a>(&'a mut Vec<(Vec<String>, bool)>);

impl<'ast> Visit<'ast> for References<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if names.len() > 1 && ["crate", "self", "super"].contains(&names[0].as_str()) {
            self.0.push((names, false));
        }
        visit::visit_path(self, path);
    }

    fn visit_visibility(&mut self, _: &'ast Visibility) {
        // `pub(in path)` uses nothing.
    }

    fn visit_item_mod(&mut self, _: &'ast syn::ItemMod) {
        // A module of its own.
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Mod(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Const(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        _ => &[],
    }
}

/// Whether an item is compiled for tests only.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    let is_test = |attribute: &Attribute| {
        attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Ident>().is_ok_and(|name| name == "test")
    };
    attributes.iter().any(is_test)
}
