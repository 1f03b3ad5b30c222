//! tmp
use physarum::search::*;
fn main() {
    let d: u32 = std::env::args().nth(1).map_or(9, |a| a.parse().unwrap());
    let c = Control::new(std::time::Instant::now(), false);
    let r = bench(d, &c, &mut |s| println!("{s:?}")).unwrap();
    println!("{} {:?} {} nps", r.nodes, r.time, r.nodes as f64 / r.time.as_secs_f64());
    let t = std::time::Instant::now();
    println!(
        "{} {:?}",
        physarum::game::perft(&Default::default(), 6, physarum::game::Rules::Ataxx),
        t.elapsed()
    );
}
