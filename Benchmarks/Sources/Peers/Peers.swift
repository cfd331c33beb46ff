@main
struct Peers { static func main() {} }
